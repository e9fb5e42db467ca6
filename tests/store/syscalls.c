/* syscalls.c - replacements of functions of the C library, and a model of a disk */
#include "tests/store/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit.h"

enum kind { MAKE_FOLDER, CREATE, WRITE, SYNC, RENAME, REMOVE };

/* Paths are below the recorded folder. */
struct change {
    enum kind kind;
    char *path, *to; /* of the name; of a synced folder */
    int inode;       /* of a created, written or synced file */
    char *data;
    size_t size;
};

struct entry {
    char path[400];
    bool is_folder, present;
    mode_t mode;
    int inode;
    char *data; /* of the file, with room for all that is written */
    size_t size;
};

enum { MOST_CHANGES = 1000, MOST_ENTRIES = 300, MOST_BYTES = 1 << 15 };

static bool recording;
static char root[PATH_MAX];
static struct change changes[MOST_CHANGES];
static size_t n_changes;
static struct entry before[MOST_ENTRIES];
static size_t n_before;
static struct {
    ino_t number;
    int inode;
} inodes[MOST_ENTRIES]; /* the newest file of each number comes last */
static size_t n_inodes;
static int next_inode;

static struct syscalls_failure failing;
static bool counting;
static size_t n_calls;

/* ---- failing ---- */

void syscalls_fail(const struct syscalls_failure *failure)
{
    failing = *failure;
    n_calls = 0;
    counting = true;
}

size_t syscalls_stop(void)
{
    counting = false;
    return n_calls;
}

/* Whether the call that begins now fails, with errno; 'half': a write of half the bytes. */
static bool fails(bool *half)
{
    bool now;

    if (half)
        *half = false;
    if (!counting)
        return false;
    n_calls++;
    now =
        n_calls == failing.at || (failing.for_all && failing.at && n_calls > failing.at);
    if (now && !failing.code) {
        if (half)
            *half = true;
        return false;
    }
    errno = failing.code;
    return now;
}

/* ---- recording ---- */

static const char *below_root(const char *path)
{
    size_t n = strlen(root);

    return strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* The path of a name in a folder, or of the folder (NULL), below the root; else NULL. */
static char *path_of(int folder, const char *name)
{
    char link[40], path[PATH_MAX];
    const char *below;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
    if ((n = readlink(link, path, sizeof(path) - 1)) < 0)
        return NULL;
    path[n] = '\0';
    if (strcmp(path, root) == 0)
        return strdup(name ? name : "");
    if (!(below = below_root(path)))
        return NULL;
    if (!name)
        return strdup(below);
    n = snprintf(link, 0, "%s/%s", below, name);
    {
        char *joined = malloc((size_t)n + 1);

        sprintf(joined, "%s/%s", below, name);
        return joined;
    }
}

static int inode_of(int fd)
{
    struct stat info;

    if (fstat(fd, &info) == 0)
        for (size_t i = n_inodes; i > 0; i--)
            if (inodes[i - 1].number == info.st_ino)
                return inodes[i - 1].inode;
    return -1;
}

static int add_inode(ino_t number)
{
    assert_true(n_inodes < MOST_ENTRIES);
    inodes[n_inodes].number = number;
    inodes[n_inodes++].inode = next_inode;
    return next_inode++;
}

static struct change *add(enum kind kind, char *path)
{
    struct change *c = &changes[n_changes++];

    assert_true(n_changes < MOST_CHANGES);
    *c = (struct change){ .kind = kind, .path = path, .inode = -1 };
    return c;
}

int openat(int folder, const char *name, int flags, ...)
{
    va_list args;
    struct stat info;
    char *path;
    mode_t mode;
    int fd;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    if (fails(NULL))
        return -1;
    fd = (int)syscall(SYS_openat, folder, name, flags, mode);
    /* Those of the store that make a file do so with O_EXCL. */
    if (recording && fd >= 0 && (flags & O_CREAT) && fstat(fd, &info) == 0 &&
        (path = path_of(folder, name)))
        add(CREATE, path)->inode = add_inode(info.st_ino);
    return fd;
}

int mkdirat(int folder, const char *name, mode_t mode)
{
    char *path;
    int rc = fails(NULL) ? -1 : (int)syscall(SYS_mkdirat, folder, name, mode);

    if (recording && rc == 0 && (path = path_of(folder, name)))
        add(MAKE_FOLDER, path);
    return rc;
}

ssize_t write(int fd, const void *data, size_t size)
{
    struct change *c;
    ssize_t n;
    bool half;

    if (fails(&half))
        return -1;
    n = syscall(SYS_write, fd, data, half && size > 1 ? size / 2 : size);
    if (recording && n > 0 && inode_of(fd) >= 0) {
        c = add(WRITE, NULL);
        c->inode = inode_of(fd);
        c->data = malloc((size_t)n);
        memcpy(c->data, data, (size_t)n);
        c->size = (size_t)n;
    }
    return n;
}

int fsync(int fd)
{
    struct stat info;
    struct change *c;
    char *path;

    if (fails(NULL))
        return -1;
    if (!recording || fstat(fd, &info) < 0)
        return 0;
    path = S_ISDIR(info.st_mode) ? path_of(fd, NULL) : NULL;
    c = add(SYNC, path);
    c->inode = path ? -1 : inode_of(fd);
    return 0;
}

int renameat(int from, const char *old, int to, const char *new)
{
    char *path;
    int rc = fails(NULL) ? -1 : (int)syscall(SYS_renameat, from, old, to, new);

    if (recording && rc == 0 && (path = path_of(from, old)))
        add(RENAME, path)->to = path_of(to, new);
    return rc;
}

int unlinkat(int folder, const char *name, int flags)
{
    char *path;
    int rc = fails(NULL) ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);

    if (recording && rc == 0 && (path = path_of(folder, name)))
        add(REMOVE, path);
    return rc;
}

int fchmod(int fd, mode_t mode)
{
    return fails(NULL) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

/* ---- the folder as it was ---- */

static int note(const char *path, const struct stat *info, int type, struct FTW *at)
{
    struct entry *e = &before[n_before];
    FILE *file;

    (void)at;
    if (!below_root(path))
        return 0;
    assert_true(++n_before < MOST_ENTRIES);
    *e = (struct entry){ .is_folder = type == FTW_D, .present = true, .inode = -1 };
    snprintf(e->path, sizeof(e->path), "%s", below_root(path));
    e->mode = info->st_mode & 07777;
    if (e->is_folder)
        return 0;
    e->inode = add_inode(info->st_ino);
    e->data = calloc(1, MOST_BYTES);
    assert_non_null(file = fopen(path, "r"));
    e->size = fread(e->data, 1, MOST_BYTES, file);
    fclose(file);
    return 0;
}

void syscalls_record(const char *folder)
{
    syscalls_forget();
    assert_non_null(realpath(folder, root));
    assert_int_equal(nftw(root, note, 16, FTW_PHYS), 0);
    recording = true;
}

size_t syscalls_recorded(void)
{
    recording = false;
    return n_changes;
}

void syscalls_forget(void)
{
    recording = false;
    for (size_t i = 0; i < n_changes; i++) {
        free(changes[i].path);
        free(changes[i].to);
        free(changes[i].data);
    }
    for (size_t i = 0; i < n_before; i++)
        free(before[i].data);
    n_changes = n_before = n_inodes = 0;
}

/* ---- the folder after a crash ---- */

struct disk {
    struct entry entries[MOST_ENTRIES]; /* names, and folders */
    size_t n_entries;
    struct entry files[MOST_ENTRIES]; /* by inode, without names */
    size_t n_files;
};

static struct entry *find(struct disk *d, const char *path)
{
    for (size_t i = 0; i < d->n_entries; i++)
        if (d->entries[i].present && strcmp(d->entries[i].path, path) == 0)
            return &d->entries[i];
    return NULL;
}

static struct entry *find_file(struct disk *d, int inode)
{
    for (size_t i = 0; i < d->n_files; i++)
        if (d->files[i].inode == inode)
            return &d->files[i];
    return NULL;
}

static void put_name(struct disk *d, const char *path, bool is_folder, int inode)
{
    struct entry *e = find(d, path);

    if (!e) {
        assert_true(d->n_entries < MOST_ENTRIES);
        e = &d->entries[d->n_entries++];
    }
    *e = (struct entry){
        .is_folder = is_folder, .present = true, .mode = 0755, .inode = inode
    };
    snprintf(e->path, sizeof(e->path), "%s", path);
}

static struct entry *put_file(struct disk *d, int inode, mode_t mode)
{
    struct entry *e = &d->files[d->n_files++];

    assert_true(d->n_files < MOST_ENTRIES);
    *e = (struct entry){ .inode = inode, .mode = mode, .data = calloc(1, MOST_BYTES) };
    return e;
}

static void begin_disk(struct disk *d)
{
    for (size_t i = 0; i < n_before; i++) {
        const struct entry *e = &before[i];
        struct entry *file;

        put_name(d, e->path, e->is_folder, e->inode);
        d->entries[d->n_entries - 1].mode = e->mode;
        if (e->is_folder)
            continue;
        file = put_file(d, e->inode, e->mode);
        memcpy(file->data, e->data, e->size);
        file->size = e->size;
    }
}

static bool is_name_change(const struct change *c)
{
    return c->kind == MAKE_FOLDER || c->kind == CREATE || c->kind == RENAME ||
           c->kind == REMOVE;
}

static bool is_in(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;

    return strlen(folder) == n && strncmp(path, folder, n) == 0;
}

/* Whether no fsync() before the crash covers change i. */
static bool is_open_to_loss(size_t i, size_t n)
{
    const struct change *c = &changes[i];

    if (c->kind == SYNC)
        return false;
    for (size_t k = i + 1; k < n; k++) {
        const struct change *s = &changes[k];

        if (s->kind != SYNC)
            continue;
        if (is_name_change(c) ? s->path && is_in(c->path, s->path)
                              : s->inode == c->inode && !s->path)
            return false;
    }
    return true;
}

static void apply_write(struct disk *d, const struct change *c, enum syscalls_loss loss)
{
    struct entry *file = find_file(d, c->inode);
    size_t size = loss == SYSCALLS_HALVED ? c->size / 2 : c->size;

    if (!file || loss == SYSCALLS_LOST || loss == SYSCALLS_EMPTY)
        return;
    assert_true(file->size + size <= MOST_BYTES);
    if (loss == SYSCALLS_ZEROED)
        memset(file->data + file->size, 0, size);
    else
        memcpy(file->data + file->size, c->data, size);
    file->size += size;
}

static void apply_name(struct disk *d, const struct change *c)
{
    struct entry *e = find(d, c->path);
    int inode = e ? e->inode : -1;

    if (c->kind == MAKE_FOLDER)
        put_name(d, c->path, true, -1);
    if (c->kind == CREATE)
        put_name(d, c->path, false, c->inode);
    if ((c->kind == RENAME || c->kind == REMOVE) && e)
        e->present = false;
    if (c->kind == RENAME && e)
        put_name(d, c->to, false, inode);
}

static void apply(struct disk *d, const struct change *c, bool open,
                  enum syscalls_loss loss)
{
    bool names_lost = loss == SYSCALLS_LOST || loss == SYSCALLS_BYTES;

    if (c->kind == CREATE && !find_file(d, c->inode))
        put_file(d, c->inode, 0644);
    if (c->kind == WRITE)
        apply_write(d, c, open ? loss : SYSCALLS_KEPT);
    else if (is_name_change(c) && !(open && names_lost))
        apply_name(d, c);
}

static void write_entry(const struct disk *d, const struct entry *e, const char *folder)
{
    char path[PATH_MAX];
    const struct entry *file = find_file((struct disk *)d, e->inode);
    FILE *out;

    snprintf(path, sizeof(path), "%s/%s", folder, e->path);
    if (e->is_folder) {
        mkdir(path, 0755);
        assert_int_equal(chmod(path, e->mode), 0);
        return;
    }
    if (!file || !(out = fopen(path, "w")))
        return; /* its folder is lost */
    assert_int_equal(fwrite(file->data, 1, file->size, out), file->size);
    fclose(out);
    assert_int_equal(chmod(path, file->mode), 0);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void write_disk(struct disk *d, const char *folder)
{
    qsort(d->entries, d->n_entries, sizeof(*d->entries), by_path);
    for (size_t i = 0; i < d->n_entries; i++)
        if (d->entries[i].present)
            write_entry(d, &d->entries[i], folder);
    for (size_t i = 0; i < d->n_files; i++)
        free(d->files[i].data);
}

bool syscalls_crash(size_t n, enum syscalls_loss loss, const char *folder)
{
    static struct disk d;
    size_t last = n, n_open = 0;

    for (size_t i = 0; i < n; i++)
        if (is_open_to_loss(i, n)) {
            n_open++;
            last = i;
        }
    if (loss != SYSCALLS_KEPT && !n_open)
        return false;
    d = (struct disk){ .n_entries = 0 };
    begin_disk(&d);
    for (size_t i = 0; i < n; i++) {
        enum syscalls_loss l = loss != SYSCALLS_LATE ? loss
                               : i == last           ? SYSCALLS_KEPT
                                                     : SYSCALLS_LOST;

        apply(&d, &changes[i], is_open_to_loss(i, n), l);
    }
    write_disk(&d, folder);
    return true;
}

void syscalls_restore(const char *folder)
{
    syscalls_crash(0, SYSCALLS_KEPT, folder);
}
