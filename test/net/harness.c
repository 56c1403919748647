#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "las/base/backoff.h"

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void on_head(void *self, const struct las_response_head *head)
{
    struct outcome *o = self;
    MUST(o->dones == 0);
    o->heads++;
    o->code = head->code;
    o->retry_after_ns = head->retry_after_ns;
    o->hash = LAS_FNV1A_START;
    snprintf(o->content_type, sizeof(o->content_type), "%.*s", LAS_SLICE_ARG(head->content_type));
    if (o->on_head)
        o->on_head(o);
}

static void on_data(void *self, struct las_slice data)
{
    struct outcome *o = self;
    MUST(o->heads == 1);
    MUST(o->dones == 0);
    for (size_t i = 0; i < data.len && o->bytes + i < sizeof(o->body) - 1; i++)
        o->body[o->bytes + i] = data.ptr[i];
    o->bytes += data.len;
    o->hash = las_fnv1a(o->hash, data);
    if (o->on_data)
        o->on_data(o);
}

static void on_done(void *self, enum las_outcome outcome, const struct las_err *err)
{
    struct outcome *o = self;
    MUST(o->dones == 0);
    MUST(outcome != LAS_OUTCOME_ANSWERED || o->heads == 1);
    o->dones++;
    o->how = outcome;
    o->handle = NULL;
    if (err)
        snprintf(o->error, sizeof(o->error), "%s", err->text);
}

const struct las_response_handler outcome_handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

struct las_endpoint harness_endpoint(const struct server *server)
{
    return (struct las_endpoint){.host = LAS_SLICE("localhost"),
                                 .port = server_port(server),
                                 .ca_pem = las_slice_of(pki_ca()->cert)};
}

static uint64_t turn(void *self, uint64_t now_ns)
{
    struct harness *h = self;
    if (now_ns >= h->until_ns || (h->wait_for && *h->wait_for >= h->wait_count))
        las_loop_stop(h->loop);
    return h->until_ns;
}

void harness_start(struct harness *h, const struct las_endpoint *endpoint,
                   const struct las_client_options *options)
{
    struct las_err err;
    const struct las_client_options plain = {.name = "test", .seed = 1};
    memset(h, 0, sizeof(*h));
    MUST(las_loop_new(&h->loop) == LAS_OK);
    if (las_cred_new(h->loop, endpoint, NULL, NULL, NULL, &h->cred, &err) != LAS_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    MUST(las_client_new(h->loop, h->cred, options ? options : &plain, NULL, &h->client) == LAS_OK);
    h->transport = las_client_transport(h->client);
    las_loop_set_turn(h->loop, turn, h);
}

void harness_stop(struct harness *h)
{
    las_client_free(h->client);
    las_cred_free(h->cred);
    las_loop_free(h->loop);
}

void harness_request(struct harness *h, const struct las_request *request, struct outcome *outcome)
{
    outcome->harness = h;
    MUST(las_transport_start(h->transport, request, &outcome_handler, outcome, &outcome->handle) ==
         LAS_OK);
    MUST(outcome->heads == 0 && outcome->dones == 0);
}

void harness_get(struct harness *h, const char *path, struct outcome *outcome)
{
    const struct las_request request = {.method = LAS_GET, .path = las_slice_of(path)};
    harness_request(h, &request, outcome);
}

bool harness_run(struct harness *h, const int *counter, int count, unsigned ms_max)
{
    h->until_ns = las_clock_now_ns(las_loop_clock(h->loop)) + ms_max * LAS_NS_PER_MS;
    h->wait_for = counter;
    h->wait_count = count;
    las_loop_run(h->loop);
    return counter && *counter >= count;
}

void harness_fetch(struct harness *h, const char *path, struct outcome *outcome)
{
    harness_get(h, path, outcome);
    MUST(harness_run(h, &outcome->dones, 1, 60000));
}

void harness_idle(struct harness *h, unsigned ms)
{
    harness_run(h, NULL, 0, ms);
}

int harness_fds(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    MUST(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 3; /* ".", "..", and the folder itself */
}
