/* Small files that are read whole: kubeconfigs, tokens, certificates. */
#ifndef LAS_NET_FILE_H
#define LAS_NET_FILE_H

#include "las/base/status.h"
#include "las/base/str.h"

#define LAS_FILE_BYTES_MAX (4u * 1024u * 1024u)

/* Append the file to out, a byte order mark left out. LAS_E_NOTFOUND, LAS_E_IO, LAS_E_LIMIT (over
 * LAS_FILE_BYTES_MAX), LAS_E_INVALID (UTF-16). Blocks: files of this kind are small and mostly in
 * memory (tmpfs). */
LAS_MUST_USE enum las_status las_file_read(const char *path, struct las_buf *out,
                                           struct las_err *err);

/* Identity of a file's content as far as stat tells: changes when it is written, replaced, or when
 * a symlink on its way is swapped. All zero for a file that is not there. */
struct las_file_stamp {
    uint64_t device, inode, size, mtime_ns;
};
struct las_file_stamp las_file_stamp(const char *path);
bool las_file_stamp_equal(const struct las_file_stamp *a, const struct las_file_stamp *b);

/* An environment variable, NULL if it is not set or empty. */
const char *las_env(const char *name);
/* From the system's random numbers. */
void las_random_seed(uint64_t *out);
/* Name of this host, cut to size. */
void las_host_name(char *out, size_t size);

#endif
