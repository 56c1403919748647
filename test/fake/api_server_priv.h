/* The fake between its files: api_server.c is the transport, api_objects.c the truth, api_answers.c
 * what requests do. */
#ifndef LAS_TEST_FAKE_API_SERVER_PRIV_H
#define LAS_TEST_FAKE_API_SERVER_PRIV_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/api_server.h"

#define FAKE_TEXT_MAX (1u << 24)

struct fake_object {
    struct las_list link;
    char *namespace, *name, *json;
    char *node;      /* pods */
    char *condition; /* pods: message */
    char *status;    /* nodelatencies */
    char *decision;  /* pods: the annotation's value as JSON string content */
    uint64_t version, uid;
    bool has_uid;
};

struct fake_event {
    struct las_list link;
    enum las_kind kind;
    uint64_t version;
    char *line;
};

struct las_request_handle {
    struct las_list link;
    enum las_method method;
    char *path, *body;
    const struct las_response_handler *handler;
    void *self;
    bool watch, head_sent, applied, paused;
    enum las_kind kind;
    uint64_t version; /* watch: last one sent */
    uint64_t due_ns;
    enum las_outcome outcome;
    int code;
    uint64_t retry_after_ns;
    char *answer;
    bool plain; /* answer is no JSON */
};

/* Copies; out of memory ends the test. */
char *fake_copy_n(const char *text, size_t n);
char *fake_copy(const char *text);
/* The text of a member: its string content or, for an object, the object. NULL if absent. The first
 * match counts. */
char *fake_member(const char *json, const char *name);

struct fake_object *fake_find(struct fake_server *server, enum las_kind kind, const char *namespace,
                              const char *name);
void fake_free_object(struct fake_object *object);
/* The object as the server shows it now. */
void fake_show(const struct fake_object *object, struct las_buf *out);
/* It has a new version: watches hear of it. */
void fake_changed(struct fake_server *server, enum las_kind kind, struct fake_object *object,
                  const char *type);

void fake_set_answer(struct las_request_handle *request, int code, const char *text);
void fake_set_failure(struct las_request_handle *request, int code, const char *reason,
                      const char *message);
uint64_t fake_query_number(const char *path, const char *name, uint64_t otherwise);
/* Do what the request asks for and set its answer. */
void fake_apply(struct fake_server *server, struct las_request_handle *request);

#endif
