/* What transports ask credentials for. */
#ifndef LAS_SRC_NET_CRED_PRIV_H
#define LAS_SRC_NET_CRED_PRIV_H

#include <openssl/ssl.h>

#include "las/base/list.h"
#include "las/net/cred.h"

/* How we name ourselves to the server. */
#define LAS_USER_AGENT "latency-aware-scheduler/" LAS_VERSION

enum las_cred_state {
    LAS_CRED_READY,
    LAS_CRED_PENDING, /* an exec plugin runs: on_ready will be called */
    LAS_CRED_FAILED   /* no credentials: the error says why; it is tried again after a while */
};

/* A transport that wants to be told. */
struct las_cred_user {
    struct las_list link;
    void (*on_ready)(void *self);
    void *self;
};
void las_cred_add_user(struct las_cred *cred, struct las_cred_user *user);
void las_cred_remove_user(struct las_cred_user *user);

/* May a request go out now? Looks at the files where it is time to. */
enum las_cred_state las_cred_poll(struct las_cred *cred, struct las_err *err);
/* The bearer token, empty if there is none; valid until the next poll. */
struct las_slice las_cred_token(const struct las_cred *cred);
/* The TLS context, NULL for plain HTTP; a new pointer after certificates changed: connections made
 * with another generation are to be drained. */
SSL_CTX *las_cred_context(const struct las_cred *cred);
uint64_t las_cred_generation(const struct las_cred *cred);
/* Changes with the token, the certificates, and when an exec plugin is to be asked again. */
uint64_t las_cred_version(const struct las_cred *cred);
/* The server answered 401 to what was sent with `version`: read everything anew. True if the
 * credentials are or may become other ones, so that it is worth sending the request again. */
bool las_cred_refused(struct las_cred *cred, uint64_t version);
const struct las_endpoint *las_cred_endpoint(const struct las_cred *cred);
/* Name that the certificate is checked against. */
const char *las_cred_tls_name(const struct las_cred *cred);

#endif
