/* Reading of small files. */
#include "las/net/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static enum las_status read_all(int fd, const char *path, struct las_buf *out, struct las_err *err)
{
    char piece[16384];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof(piece));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return las_err_set(err, LAS_E_IO, "%s: %s", path, strerror(errno));
        if (n == 0)
            break;
        if (out->len + (size_t)n > LAS_FILE_BYTES_MAX)
            return las_err_set(err, LAS_E_LIMIT, "%s: larger than %u bytes", path,
                               LAS_FILE_BYTES_MAX);
        las_buf_add(out, las_slice_n(piece, (size_t)n));
    }
    enum las_status st = las_buf_status(out);
    return st == LAS_OK ? LAS_OK : las_err_set(err, st, "%s: %s", path, las_status_text(st));
}

enum las_status las_file_read(const char *path, struct las_buf *out, struct las_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return las_err_set(err, errno == ENOENT ? LAS_E_NOTFOUND : LAS_E_IO, "%s: %s", path,
                           strerror(errno));
    size_t start = out->len;
    enum las_status st = read_all(fd, path, out, err);
    close(fd);
    if (st != LAS_OK)
        return st;
    struct las_slice text = las_slice_n(out->ptr ? out->ptr + start : "", out->len - start);
    if (las_slice_starts(text, LAS_SLICE("\xff\xfe")) ||
        las_slice_starts(text, LAS_SLICE("\xfe\xff")))
        return las_err_set(err, LAS_E_INVALID, "%s: is UTF-16: must be UTF-8", path);
    if (las_slice_starts(text, LAS_SLICE("\xef\xbb\xbf"))) {
        memmove(out->ptr + start, out->ptr + start + 3, text.len - 3);
        out->len -= 3;
        out->ptr[out->len] = '\0';
    }
    return LAS_OK;
}

struct las_file_stamp las_file_stamp(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct las_file_stamp){0};
    return (struct las_file_stamp){.device = (uint64_t)st.st_dev,
                                   .inode = (uint64_t)st.st_ino,
                                   .size = (uint64_t)st.st_size,
                                   .mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
                                               (uint64_t)st.st_mtim.tv_nsec};
}

bool las_file_stamp_equal(const struct las_file_stamp *a, const struct las_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns;
}

const char *las_env(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

void las_host_name(char *out, size_t size)
{
    if (gethostname(out, size) != 0)
        out[0] = '\0';
    out[size - 1] = '\0';
}

void las_random_seed(uint64_t *out)
{
    if (getrandom(out, sizeof(*out), 0) != (ssize_t)sizeof(*out) || *out == 0)
        *out = (uint64_t)getpid();
    *out >>= 1; /* positive as a flag value, so that a run can be repeated */
}
