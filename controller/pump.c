/* Reflector actions to requests; answers to reflector events and to the store. */
#include "pump.h"

#include "call.h"

#include "las/api/encode.h"
#include "las/api/path.h"
#include "las/base/mem.h"
#include "las/port/clock.h"

#define LIST_DEADLINE_NS (300 * LAS_NS_PER_SEC)
#define LIST_IDLE_NS (60 * LAS_NS_PER_SEC)
/* The server ends a watch by itself; one that it forgot is cut this much later. */
#define WATCH_GRACE_SECONDS 30u
#define PATH_BYTES_MAX 16384u

/* Pods that have ended take nothing: the server keeps them away from us. */
static const char pod_selector[] = "status.phase!=Succeeded,status.phase!=Failed";

static enum las_status on_listed(void *self, struct las_object *object, struct las_err *err)
{
    struct las_pump *pump = self;
    enum las_status st = las_store_list_add(pump->store, &object);
    return st == LAS_OK ? LAS_OK : las_err_set(err, st, "%s", las_status_text(st));
}

static void on_bad(void *self, const struct las_err *err)
{
    struct las_pump *pump = self;
    pump->bad_objects++;
    las_log_error(pump->env.log, "list %s: object passed over: %s", las_kind_plural(pump->kind),
                  err->text);
}

static const struct las_list_handler list_handler = {.on_object = on_listed, .on_bad = on_bad};

enum las_status las_pump_init(struct las_pump *pump, const struct las_pump_env *env,
                              enum las_kind kind, struct las_store *store)
{
    *pump = (struct las_pump){.env = *env, .kind = kind, .store = store};
    if (kind == LAS_KIND_POD)
        pump->field_selector = LAS_SLICE(pod_selector);
    las_frame_init(&pump->frame);
    las_buf_init(&pump->error_body, LAS_PUMP_ERROR_BYTES_MAX);
    las_reflector_init(&pump->reflector, las_clock_now_ns(env->clock));
    return las_list_reader_new(&pump->list, kind, &list_handler, pump);
}

static void cancel(struct las_pump *pump)
{
    if (pump->handle)
        las_transport_cancel(pump->transport, pump->handle);
    pump->handle = NULL;
}

void las_pump_fini(struct las_pump *pump)
{
    cancel(pump);
    las_list_reader_free(pump->list);
    las_frame_fini(&pump->frame);
    las_buf_fini(&pump->error_body);
}

bool las_pump_synced(const struct las_pump *pump)
{
    return pump->reflector.synced && !pump->missing;
}

bool las_pump_watching(const struct las_pump *pump)
{
    return pump->handle && !pump->reflector.listing && pump->code == 200;
}

/* A failure is said when it begins and when it is over, not each time it is met. */
static void say(struct las_pump *pump, enum las_failure failure, const char *text)
{
    bool news = !pump->said_any || pump->said != failure;
    pump->said_any = true;
    pump->said = failure;
    if (news)
        las_log_warning(pump->env.log, "%s %s: %s: %s; trying again",
                        pump->reflector.listing ? "list" : "watch", las_kind_plural(pump->kind),
                        las_failure_name(failure), text);
    else
        las_log_v(pump->env.log, 2, "%s %s: still %s: %s",
                  pump->reflector.listing ? "list" : "watch", las_kind_plural(pump->kind),
                  las_failure_name(failure), text);
}

static void say_over(struct las_pump *pump)
{
    if (pump->said_any)
        las_log_info(pump->env.log, "%s are followed again", las_kind_plural(pump->kind));
    pump->said_any = false;
}

static void count(struct las_pump *pump)
{
    las_caller_count(pump->env.caller, pump->reflector.listing ? "LIST" : "WATCH",
                     las_kind_plural(pump->kind), pump->code);
}

/* A resource that the server does not know has no objects: what was known of it is gone. */
static void take_as_empty(struct las_pump *pump)
{
    if (!pump->missing)
        pump->missing = true;
    if (las_store_list_begin(pump->store) == LAS_OK)
        LAS_IGNORE(las_store_list_commit(pump->store));
}

static void failed(struct las_pump *pump, enum las_failure failure, const char *text)
{
    bool list = pump->reflector.listing;
    count(pump);
    las_store_list_abort(pump->store);
    if (failure != LAS_FAILURE_NONE)
        say(pump, failure, text);
    if (failure == LAS_FAILURE_NOT_FOUND && list && pump->kind == LAS_KIND_NODE_LATENCY)
        take_as_empty(pump);
    las_reflector_failed(&pump->reflector, failure, pump->retry_after_ns,
                         las_clock_now_ns(pump->env.clock), pump->env.prng);
}

void las_pump_restart(struct las_pump *pump)
{
    cancel(pump);
    las_store_list_abort(pump->store);
    las_reflector_restart(&pump->reflector, las_clock_now_ns(pump->env.clock), pump->env.prng);
}

static void on_head(void *self, const struct las_response_head *head)
{
    struct las_pump *pump = self;
    pump->code = head->code;
    pump->retry_after_ns = head->retry_after_ns;
    pump->json = las_slice_starts(head->content_type, LAS_SLICE(LAS_CONTENT_JSON));
    if (head->code == 200 && !pump->reflector.listing)
        say_over(pump);
}

/* Give the stream up for a reason of our own; what it means is told to the reflector by end_stream.
 */
static void give_up(struct las_pump *pump, const struct las_err *err)
{
    if (pump->trouble.status == LAS_OK)
        pump->trouble = *err;
}

static void apply(struct las_pump *pump, struct las_watch_event *event)
{
    if (event->type == LAS_WATCH_DELETED)
        las_store_remove(pump->store, event->object);
    else if (event->type != LAS_WATCH_BOOKMARK) {
        enum las_status st = las_store_put(pump->store, &event->object);
        struct las_err err;
        if (st != LAS_OK) {
            las_err_set(&err, st, "%s: %s", event->name, las_status_text(st));
            give_up(pump, &err);
        }
    }
}

static enum las_status on_line(void *self, struct las_slice line)
{
    struct las_pump *pump = self;
    struct las_watch_event event;
    struct las_err err = {.status = LAS_OK};
    enum las_status st = las_decode_watch_line(pump->env.decoder, pump->kind, line, &event, &err);
    pump->last_event_ns = las_clock_now_ns(pump->env.clock);
    if (st == LAS_E_INVALID) {
        /* A new list would show the same object: keep the last good one, go on behind it. */
        pump->bad_objects++;
        las_log_error(pump->env.log, "watch %s: object passed over: %s",
                      las_kind_plural(pump->kind), err.text);
        las_reflector_event(&pump->reflector, event.resource_version);
        return LAS_OK;
    }
    if (st != LAS_OK) {
        /* What the line said is lost: only a list can tell. */
        pump->bad_lines++;
        give_up(pump, &err);
        return st;
    }
    pump->events[event.type]++;
    if (event.type == LAS_WATCH_ERROR) {
        pump->event_failure = event.code == 410 ? LAS_FAILURE_GONE : LAS_FAILURE_SERVER;
        las_err_set(&err, LAS_E_INVALID, "the server ended the watch: %s", event.message);
        give_up(pump, &err);
        return LAS_E_INVALID;
    }
    apply(pump, &event);
    las_object_unref(event.object);
    if (pump->trouble.status != LAS_OK)
        return pump->trouble.status;
    if (!pump->handle)
        return LAS_E_CANCELED; /* What follows the store had the kind listed again. */
    las_reflector_event(&pump->reflector, event.resource_version);
    return LAS_OK;
}

/* The stream was given up by us: stop it and go on as the reason says. */
static void end_stream(struct las_pump *pump)
{
    cancel(pump);
    if (pump->event_failure != LAS_FAILURE_NONE) {
        failed(pump, pump->event_failure, pump->trouble.text);
        return;
    }
    say(pump, LAS_FAILURE_ODD, pump->trouble.text);
    count(pump);
    las_pump_restart(pump);
}

static void on_data(void *self, struct las_slice data)
{
    struct las_pump *pump = self;
    if (pump->trouble.status != LAS_OK)
        return;
    struct las_err err = {.status = LAS_OK};
    if (pump->code != 200) {
        las_buf_add(&pump->error_body, data);
        return;
    }
    enum las_status st;
    if (pump->reflector.listing) {
        st = las_list_feed(pump->list, data, &err);
    } else {
        las_err_set(&err, LAS_E_LIMIT, "a line is longer than %u bytes", LAS_FRAME_BYTES_MAX);
        st = las_frame_feed(&pump->frame, data, on_line, pump);
    }
    if (st == LAS_OK || st == LAS_E_CANCELED)
        return;
    give_up(pump, &err);
    end_stream(pump);
}

static void page_done(struct las_pump *pump)
{
    struct las_list_page page;
    struct las_err err = {.status = LAS_OK};
    enum las_status st = las_list_finish(pump->list, &page, &err);
    if (st != LAS_OK) {
        failed(pump, LAS_FAILURE_ODD, err.text);
        return;
    }
    count(pump);
    uint64_t now_ns = las_clock_now_ns(pump->env.clock);
    if (!las_reflector_page(&pump->reflector, page.resource_version, page.continue_token, now_ns,
                            pump->env.prng))
        return;
    pump->missing = false;
    if (las_store_list_commit(pump->store) != LAS_OK) {
        las_log_error(pump->env.log, "list %s: could not be taken over: out of memory",
                      las_kind_plural(pump->kind));
        las_pump_restart(pump);
        return;
    }
    las_log_v(pump->env.log, 1, "listed %zu %s", las_store_count(pump->store),
              las_kind_plural(pump->kind));
}

static void on_done(void *self, enum las_outcome outcome, const struct las_err *err)
{
    struct las_pump *pump = self;
    pump->handle = NULL;
    if (outcome == LAS_OUTCOME_ANSWERED && pump->code == 200 && pump->reflector.listing) {
        page_done(pump);
    } else if (outcome == LAS_OUTCOME_ANSWERED && pump->code != 200) {
        char text[LAS_ERR_TEXT_BYTES];
        enum las_failure failure = las_failure_of(
            pump->env.decoder, pump->code, pump->json ? LAS_SLICE(LAS_CONTENT_JSON) : LAS_SLICE(""),
            las_buf_slice(&pump->error_body), text);
        failed(pump, failure, text);
    } else {
        /* A watch that was open and ended, cleanly or not, goes on at its version. */
        bool was_open = pump->code == 200 && !pump->reflector.listing;
        if (was_open)
            las_log_v(pump->env.log, 2, "watch %s ended%s%s", las_kind_plural(pump->kind),
                      err ? ": " : "", err ? err->text : "");
        failed(pump, was_open ? LAS_FAILURE_NONE : LAS_FAILURE_SERVER,
               err ? err->text : "the answer broke off");
    }
}

static const struct las_response_handler handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

static void reset(struct las_pump *pump)
{
    las_frame_reset(&pump->frame);
    las_buf_reset(&pump->error_body);
    pump->code = 0;
    pump->retry_after_ns = 0;
    pump->json = false;
    pump->trouble.status = LAS_OK;
    pump->event_failure = LAS_FAILURE_NONE;
}

static enum las_status start_list(struct las_pump *pump)
{
    const struct las_reflector *r = &pump->reflector;
    enum las_status st = r->first_page ? las_store_list_begin(pump->store) : LAS_OK;
    if (st == LAS_OK)
        st = las_list_begin(pump->list);
    if (st != LAS_OK)
        return st;
    struct las_buf path;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_path_list(pump->kind,
                  &(struct las_list_query){.field_selector = pump->field_selector,
                                           .resource_version = las_slice_of(r->list_version),
                                           .not_older_than = r->not_older_than,
                                           .continue_token = las_slice_of(r->continue_token),
                                           .limit = LAS_LIST_PAGE_LIMIT},
                  &path);
    st = las_buf_status(&path);
    pump->transport = pump->env.lists;
    if (st == LAS_OK)
        st = las_transport_start(pump->transport,
                                 &(struct las_request){.method = LAS_GET,
                                                       .path = las_buf_slice(&path),
                                                       .deadline_ns = LIST_DEADLINE_NS,
                                                       .idle_ns = LIST_IDLE_NS,
                                                       .compress = true},
                                 &handler, pump, &pump->handle);
    las_buf_fini(&path);
    return st;
}

static enum las_status start_watch(struct las_pump *pump)
{
    uint32_t seconds =
        LAS_WATCH_SECONDS_MIN +
        (uint32_t)las_prng_below(pump->env.prng, LAS_WATCH_SECONDS_MAX - LAS_WATCH_SECONDS_MIN + 1);
    struct las_buf path;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_path_watch(pump->kind, pump->field_selector, las_slice_of(pump->reflector.version), seconds,
                   &path);
    enum las_status st = las_buf_status(&path);
    pump->transport = pump->env.watches;
    if (st == LAS_OK)
        st = las_transport_start(
            pump->transport,
            &(struct las_request){.method = LAS_GET,
                                  .path = las_buf_slice(&path),
                                  .deadline_ns = (seconds + WATCH_GRACE_SECONDS) * LAS_NS_PER_SEC,
                                  .stream = true},
            &handler, pump, &pump->handle);
    las_buf_fini(&path);
    return st;
}

uint64_t las_pump_turn(struct las_pump *pump, uint64_t now_ns)
{
    struct las_reflector *r = &pump->reflector;
    if (r->next == LAS_REFLECT_BUSY)
        return UINT64_MAX;
    if (r->due_ns > now_ns)
        return r->due_ns;
    reset(pump);
    enum las_status st = r->next == LAS_REFLECT_LIST ? start_list(pump) : start_watch(pump);
    las_reflector_started(r, now_ns);
    if (st == LAS_OK)
        return UINT64_MAX;
    pump->handle = NULL;
    failed(pump, LAS_FAILURE_SERVER, las_status_text(st));
    return r->due_ns;
}
