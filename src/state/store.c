/* Owns one reference of each object. Promises: deltas are the difference between what was told
 * before and what is so now, in an order that never shows two objects of one name at a time.
 * Refuses to know what an object means. */
#include "las/state/store.h"

#include "las/base/mem.h"

void las_store_init(struct las_store *store,
                    void (*on_delta)(void *self, const struct las_delta *delta), void *self)
{
    *store = (struct las_store){.on_delta = on_delta, .self = self};
    las_map_init(&store->objects);
}

static void drop_all(struct las_map *map)
{
    LAS_MAP_EACH (at, map)
        las_object_unref(las_map_value(at));
    las_map_fini(map);
}

void las_store_fini(struct las_store *store)
{
    las_store_list_abort(store);
    drop_all(&store->objects);
    las_mem_free(store->key);
    store->key = NULL;
    store->key_cap = 0;
}

/* "namespace/name" in the scratch of the store; an empty slice when memory is out. A '/' cannot
 * stand in either part. */
static struct las_slice key_of(struct las_store *store, struct las_slice namespace,
                               struct las_slice name)
{
    size_t need = namespace.len + 1 + name.len;
    if (need > store->key_cap) {
        char *moved = las_mem_realloc(store->key, need * 2);
        if (!moved)
            return (struct las_slice){0};
        store->key = moved;
        store->key_cap = need * 2;
    }
    if (namespace.len)
        memcpy(store->key, namespace.ptr, namespace.len);
    store->key[namespace.len] = '/';
    if (name.len)
        memcpy(store->key + namespace.len + 1, name.ptr, name.len);
    return las_slice_n(store->key, need);
}

static void tell(struct las_store *store, struct las_object *old, struct las_object *new,
                 bool listed)
{
    if (old && new && !las_slice_eq(old->meta.uid, new->meta.uid)) {
        store->on_delta(store->self, &(struct las_delta){.old = old, .listed = listed});
        old = NULL;
    }
    store->on_delta(store->self, &(struct las_delta){.old = old, .new = new, .listed = listed});
}

static enum las_status replace(struct las_store *store, struct las_object *object, bool listed)
{
    struct las_slice key = key_of(store, object->meta.namespace, object->meta.name);
    void *old = NULL;
    enum las_status st = LAS_OK;
    if (!key.ptr)
        st = LAS_E_NOMEM;
    else if (las_map_count(&store->objects) >= LAS_STORE_OBJECTS_MAX &&
             !las_map_get(&store->objects, key))
        st = LAS_E_LIMIT;
    else
        st = las_map_put(&store->objects, key, object, &old);
    if (st != LAS_OK) {
        las_object_unref(object);
        return st;
    }
    tell(store, old, object, listed);
    las_object_unref(old);
    return LAS_OK;
}

enum las_status las_store_put(struct las_store *store, struct las_object **object)
{
    struct las_object *taken = *object;
    *object = NULL;
    return replace(store, taken, false);
}

static void remove_key(struct las_store *store, struct las_slice key, bool listed)
{
    struct las_object *old = las_map_take(&store->objects, key);
    if (!old)
        return;
    tell(store, old, NULL, listed);
    las_object_unref(old);
}

void las_store_remove(struct las_store *store, const struct las_object *object)
{
    struct las_slice key = key_of(store, object->meta.namespace, object->meta.name);
    if (key.ptr)
        remove_key(store, key, false);
}

enum las_status las_store_list_begin(struct las_store *store)
{
    las_store_list_abort(store);
    store->staged = las_mem_alloc(sizeof(*store->staged));
    if (!store->staged)
        return LAS_E_NOMEM;
    las_map_init(store->staged);
    return LAS_OK;
}

enum las_status las_store_list_add(struct las_store *store, struct las_object **object)
{
    CHECK(store->staged != NULL);
    struct las_object *taken = *object;
    *object = NULL;
    struct las_slice key = key_of(store, taken->meta.namespace, taken->meta.name);
    void *twice = NULL;
    enum las_status st = key.ptr ? las_map_put(store->staged, key, taken, &twice) : LAS_E_NOMEM;
    if (st == LAS_OK && las_map_count(store->staged) > LAS_STORE_OBJECTS_MAX)
        st = LAS_E_LIMIT;
    else if (st != LAS_OK)
        las_object_unref(taken);
    /* Pages of one list can show an object twice: the later one is the newer. */
    las_object_unref(twice);
    return st;
}

void las_store_list_abort(struct las_store *store)
{
    if (!store->staged)
        return;
    drop_all(store->staged);
    las_mem_free(store->staged);
    store->staged = NULL;
}

enum las_status las_store_list_commit(struct las_store *store)
{
    CHECK(store->staged != NULL);
    struct las_map *staged = store->staged;
    store->staged = NULL;
    LAS_MAP_EACH (held, &store->objects)
        if (!las_map_get(staged, las_map_key(held)))
            remove_key(store, las_map_key(held), true);
    enum las_status st = LAS_OK;
    LAS_MAP_EACH (listed, staged) {
        struct las_object *object = las_map_value(listed);
        if (st != LAS_OK) {
            las_object_unref(object);
            continue;
        }
        /* Also where the version is the one held: whoever follows may have failed to take that in.
         */
        st = replace(store, object, true);
    }
    las_map_fini(staged);
    las_mem_free(staged);
    return st;
}

struct las_object *las_store_get(struct las_store *store, struct las_slice namespace,
                                 struct las_slice name)
{
    struct las_slice key = key_of(store, namespace, name);
    return key.ptr ? las_map_get(&store->objects, key) : NULL;
}

size_t las_store_count(const struct las_store *store)
{
    return las_map_count(&store->objects);
}
