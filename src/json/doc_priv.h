/* How a document lies in memory, for the reader that fills it and the functions that walk it. */
#ifndef LAS_SRC_JSON_DOC_PRIV_H
#define LAS_SRC_JSON_DOC_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 20 bytes; the text of a node is its key, if any, followed by its value. */
struct las_json_node {
    uint32_t end; /* index behind the last node of this one */
    uint32_t key_at;
    uint32_t text_at;
    uint32_t text_len;
    uint32_t key_len : 24; /* longer keys are refused */
    uint32_t type : 8;
};

struct las_json_doc {
    struct las_json_node *nodes;
    uint32_t count;
    uint32_t cap;
    char *text;
    size_t text_len;
    size_t text_cap;
    bool bad_text;
};

#endif
