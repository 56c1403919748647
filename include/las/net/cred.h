/* Credentials of an endpoint: certificates and tokens from text, files or an exec plugin, kept
 * fresh while the process runs. */
#ifndef LAS_NET_CRED_H
#define LAS_NET_CRED_H

#include "las/base/log.h"
#include "las/net/endpoint.h"
#include "las/net/loop.h"

struct las_cred;

/* Parses what an exec plugin printed. Slices of *out are in arena; token, or cert and key;
 * expires_us 0: not said. */
struct las_exec_result {
    struct las_slice token, cert_pem, key_pem;
    int64_t expires_us;
};
typedef enum las_status las_exec_parse(void *self, struct las_slice text, struct las_arena *arena,
                                       struct las_exec_result *out, struct las_err *err);

#define LAS_CRED_RECHECK_NS (UINT64_C(10) * 1000000000) /* files are looked at this often */
#define LAS_CRED_TOKEN_BYTES_MAX 65536u
#define LAS_EXEC_SECONDS_MAX 60u
#define LAS_EXEC_OUTPUT_BYTES_MAX (1024u * 1024u)

/* Reads all files once; an exec plugin is run when the first request needs it. endpoint is copied.
 * LAS_E_*: err names the file or field that is wrong, never its content. */
LAS_MUST_USE enum las_status las_cred_new(struct las_loop *loop,
                                          const struct las_endpoint *endpoint,
                                          las_exec_parse *parse, void *parse_self,
                                          const struct las_log *log, struct las_cred **out,
                                          struct las_err *err);
/* Its clients must be freed before. NULL is allowed. */
void las_cred_free(struct las_cred *cred);

#endif
