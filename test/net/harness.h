/* A loop, credentials and a client against a test server, and what came of requests. */
#ifndef LAS_TEST_NET_HARNESS_H
#define LAS_TEST_NET_HARNESS_H

#include "server.h"

#include "las/net/client.h"

/* What a request's handler saw. Zero it before use. */
struct outcome {
    int heads, dones;
    int code;
    char content_type[64];
    uint64_t retry_after_ns;
    uint64_t bytes;
    uint64_t hash;   /* of the body, FNV-1a */
    char body[8192]; /* its beginning, terminated */
    enum las_outcome how;
    char error[LAS_ERR_TEXT_BYTES];
    /* What the handler does, if set: at the head, at each piece. */
    void (*on_head)(struct outcome *outcome);
    void (*on_data)(struct outcome *outcome);
    int marks; /* for these, to be waited for */
    struct harness *harness;
    struct las_request_handle *handle;
};

struct harness {
    struct las_loop *loop;
    struct las_cred *cred;
    struct las_client *client;
    struct las_transport *transport;
    uint64_t until_ns;
    const int *wait_for;
    int wait_count;
};

extern const struct las_response_handler outcome_handler;

/* An endpoint at this server by name localhost and the test authority. */
struct las_endpoint harness_endpoint(const struct server *server);
/* options may be NULL. */
void harness_start(struct harness *h, const struct las_endpoint *endpoint,
                   const struct las_client_options *options);
void harness_stop(struct harness *h);
/* A GET, or what request says; runs nothing yet. */
void harness_get(struct harness *h, const char *path, struct outcome *outcome);
void harness_request(struct harness *h, const struct las_request *request, struct outcome *outcome);
/* Run the loop until *counter has reached count, or for so long at most; true if it has. */
bool harness_run(struct harness *h, const int *counter, int count, unsigned ms_max);
/* GET and run to its end. */
void harness_fetch(struct harness *h, const char *path, struct outcome *outcome);
/* Just let time pass. */
void harness_idle(struct harness *h, unsigned ms);
/* Open file descriptors of this process. */
int harness_fds(void);

#endif
