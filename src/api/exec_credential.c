/* Answers of exec plugins. Source: client.authentication.k8s.io/v1, ExecCredential. */
#include "las/api/kubeconfig.h"
#include "las/api/rfc3339.h"

#include "decode_priv.h"
#include "read_priv.h"

enum las_status las_exec_credential_decode(struct las_decoder *decoder, struct las_slice text,
                                           struct las_slice api_version, struct las_arena *arena,
                                           struct las_exec_credential *out, struct las_err *err)
{
    struct las_json root;
    *out = (struct las_exec_credential){.token = {"", 0}, .cert_pem = {"", 0}, .key_pem = {"", 0}};
    /* The parser's own message would show the text, which may hold the secret. */
    if (las_json_parse(decoder->whole, text, &root, NULL) != LAS_OK)
        return las_err_set(err, LAS_E_SYNTAX, "the output is no JSON");
    if (!las_slice_is(las_read_text(root, "kind"), "ExecCredential"))
        return las_err_set(err, LAS_E_INVALID, "kind: must be ExecCredential, got '%.*s'",
                           LAS_SLICE_ARG(las_read_text(root, "kind")));
    if (!las_slice_eq(las_read_text(root, "apiVersion"), api_version))
        return las_err_set(err, LAS_E_INVALID, "apiVersion: must be %.*s, got '%.*s'",
                           LAS_SLICE_ARG(api_version),
                           LAS_SLICE_ARG(las_read_text(root, "apiVersion")));
    struct las_json status = las_json_get(root, "status");
    out->token = las_read_copy(status, "token", arena);
    out->cert_pem = las_read_copy(status, "clientCertificateData", arena);
    out->key_pem = las_read_copy(status, "clientKeyData", arena);
    if (las_arena_status(arena) != LAS_OK)
        return las_err_set(err, las_arena_status(arena), "%s",
                           las_status_text(las_arena_status(arena)));
    if ((out->cert_pem.len > 0) != (out->key_pem.len > 0))
        return las_err_set(err, LAS_E_INVALID,
                           "status: clientCertificateData and clientKeyData must be set together");
    if (out->token.len == 0 && out->cert_pem.len == 0)
        return las_err_set(err, LAS_E_INVALID, "status: neither a token nor a client certificate");
    struct las_slice expiry = las_read_text(status, "expirationTimestamp");
    if (expiry.len && las_rfc3339_parse(expiry, &out->expires_us) != LAS_OK)
        return las_err_set(err, LAS_E_INVALID,
                           "status.expirationTimestamp: must be an RFC 3339 time, got '%.*s'",
                           LAS_SLICE_ARG(expiry));
    return LAS_OK;
}
