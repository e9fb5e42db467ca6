/* sign.c - keys, signatures, and the line that holds a signature */
#include "kernels/base/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"

#define PUBLIC         crypto_sign_PUBLICKEYBYTES
#define SECRET         crypto_sign_SECRETKEYBYTES
#define SIGNATURE      crypto_sign_BYTES
#define BASE64         sodium_base64_VARIANT_ORIGINAL
#define TEXT_SIZE(n)   sodium_base64_ENCODED_LEN(n, BASE64)
#define MARK           "# gpucal-signature "
#define METHOD         "ed25519 "
#define MAX_KEYS_BYTES (1 << 20)

struct gcal_sign_key {
    unsigned char secret[SECRET], public[PUBLIC];
};

struct gcal_sign_keys {
    size_t n, capacity;
    unsigned char (*public)[PUBLIC];
};

static int start(struct gcal_error *err)
{
    return sodium_init() < 0
               ? gcal_error_set(err, GCAL_EINPUT, "libsodium cannot be started")
               : 0;
}

/* Decodes 'length' characters of base64 to exactly 'size' bytes. */
static bool decode(const char *text, size_t length, unsigned char *bytes, size_t size)
{
    size_t got;

    return sodium_base642bin(bytes, size, text, length, NULL, &got, NULL, BASE64) == 0 &&
           got == size;
}

/* ---- keys ---- */

static int write_new(const char *path, const char *text, mode_t mode,
                     struct gcal_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    size_t size = strlen(text);
    bool good;

    if (fd < 0 && errno == EEXIST)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s already exists: keys are not overwritten; choose "
                              "another name",
                              path);
    if (fd < 0)
        return gcal_error_set(err, GCAL_ESTORE, "%s: %s", path, strerror(errno));
    good = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
    if (!good) {
        gcal_error_set(err, GCAL_ESTORE, "%s: %s", path, strerror(errno));
        unlink(path);
    }
    close(fd);
    return good ? 0 : -1;
}

int gcal_sign_keygen(const char *path, struct gcal_error *err)
{
    unsigned char secret[SECRET], public[PUBLIC];
    char secret_text[TEXT_SIZE(SECRET) + 1], public_text[TEXT_SIZE(PUBLIC) + 1];
    char *public_path;
    int rc = -1;

    if (start(err) < 0)
        return -1;
    if (!(public_path = gcal_buf_format("%s.pub", path)))
        return gcal_error_memory(err);
    crypto_sign_keypair(public, secret);
    sodium_bin2base64(secret_text, TEXT_SIZE(SECRET), secret, SECRET, BASE64);
    sodium_bin2base64(public_text, TEXT_SIZE(PUBLIC), public, PUBLIC, BASE64);
    strcat(secret_text, "\n");
    strcat(public_text, "\n");
    if (write_new(path, secret_text, 0600, err) == 0) {
        rc = write_new(public_path, public_text, 0644, err);
        if (rc < 0)
            unlink(path);
    }
    sodium_memzero(secret, sizeof(secret));
    sodium_memzero(secret_text, sizeof(secret_text));
    free(public_path);
    return rc;
}

/* A key file, refused if its mode has bits of 'forbidden' (077: secret, 002: public). */
static char *read_keys(const char *path, mode_t forbidden, const char *remedy,
                       size_t *size, struct gcal_error *err)
{
    char *text = gcal_file_read(path, MAX_KEYS_BYTES, size, err);
    struct stat info;

    if (text && (stat(path, &info) < 0 || info.st_mode & forbidden)) {
        gcal_error_set(err, GCAL_EINPUT, "%s: others can %s it: run 'chmod %s %s'", path,
                       forbidden & 004 ? "read" : "change", remedy, path);
        sodium_memzero(text, *size);
        free(text);
        text = NULL;
    }
    return text;
}

struct gcal_sign_key *gcal_sign_key_read(const char *path, struct gcal_error *err)
{
    size_t size;
    char *text = start(err) < 0 ? NULL : read_keys(path, 077, "go=", &size, err);
    struct gcal_sign_key *key = text ? calloc(1, sizeof(*key)) : NULL;

    if (!text)
        return NULL;
    if (!key) {
        gcal_error_memory(err);
    } else if (!decode(text, strcspn(text, " \n"), key->secret, SECRET) ||
               crypto_sign_ed25519_sk_to_pk(key->public, key->secret) < 0) {
        gcal_error_set(err, GCAL_EINPUT,
                       "%s: not a secret key (make one with 'gpucal store keygen FILE')",
                       path);
        gcal_sign_key_destroy(key);
        key = NULL;
    }
    sodium_memzero(text, size);
    free(text);
    return key;
}

void gcal_sign_key_destroy(struct gcal_sign_key *key)
{
    if (key)
        sodium_memzero(key, sizeof(*key));
    free(key);
}

static int add_public(struct gcal_sign_keys *keys, const unsigned char *public,
                      struct gcal_error *err)
{
    void *moved = gcal_array_grow(keys->public, keys->n, &keys->capacity, PUBLIC, err);

    if (!moved)
        return -1;
    keys->public = moved;
    memcpy(keys->public[keys->n++], public, PUBLIC);
    return 0;
}

struct gcal_sign_keys *gcal_sign_key_public(const struct gcal_sign_key *key,
                                            struct gcal_error *err)
{
    struct gcal_sign_keys *keys = calloc(1, sizeof(*keys));

    if (!keys) {
        gcal_error_memory(err);
    } else if (add_public(keys, key->public, err) < 0) {
        gcal_sign_keys_destroy(keys);
        keys = NULL;
    }
    return keys;
}

static int add_key(struct gcal_sign_keys *keys, const char *text, size_t length,
                   struct gcal_error *err)
{
    unsigned char public[PUBLIC];

    if (!decode(text, length, public, PUBLIC))
        return gcal_error_set(err, GCAL_EINPUT, "not a public key");
    return add_public(keys, public, err);
}

static int add_keys(struct gcal_sign_keys *keys, const char *path, const char *text,
                    struct gcal_error *err)
{
    for (int line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");

        if (length && *text != '#' &&
            add_key(keys, text, strcspn(text, " \t\r\n"), err) < 0)
            return gcal_error_prefix(err, "%s:%d", path, line);
        text += length + (text[length] == '\n');
    }
    if (!keys->n)
        return gcal_error_set(err, GCAL_EINPUT, "%s: contains no public key", path);
    return 0;
}

struct gcal_sign_keys *gcal_sign_keys_read(const char *path, struct gcal_error *err)
{
    size_t size;
    char *text = start(err) < 0 ? NULL : read_keys(path, 002, "o-w", &size, err);
    struct gcal_sign_keys *keys = text ? calloc(1, sizeof(*keys)) : NULL;

    if (text && !keys)
        gcal_error_memory(err);
    if (keys && add_keys(keys, path, text, err) < 0) {
        gcal_sign_keys_destroy(keys);
        keys = NULL;
    }
    free(text);
    return keys;
}

void gcal_sign_keys_destroy(struct gcal_sign_keys *keys)
{
    if (keys)
        free(keys->public);
    free(keys);
}

/* ---- signatures ---- */

size_t gcal_sign_find(const char *text, size_t size)
{
    size_t start = size;

    if (!size || text[size - 1] != '\n')
        return size;
    for (start = size - 1; start && text[start - 1] != '\n'; start--)
        ;
    return size - start > strlen(MARK) && memcmp(text + start, MARK, strlen(MARK)) == 0
               ? start
               : size;
}

char *gcal_sign(const struct gcal_sign_key *key, const char *text, size_t size,
                struct gcal_error *err)
{
    char public_text[TEXT_SIZE(PUBLIC)], signature_text[TEXT_SIZE(SIGNATURE)], *line;
    unsigned char signature[SIGNATURE];

    crypto_sign_detached(signature, NULL, (const unsigned char *)text, size, key->secret);
    sodium_bin2base64(public_text, sizeof(public_text), key->public, PUBLIC, BASE64);
    sodium_bin2base64(signature_text, sizeof(signature_text), signature, SIGNATURE,
                      BASE64);
    if (!(line = gcal_buf_format(MARK METHOD "%s %s\n", public_text, signature_text)))
        gcal_error_memory(err);
    return line;
}

static bool is_trusted(const struct gcal_sign_keys *keys, const unsigned char *public)
{
    for (size_t i = 0; i < keys->n; i++)
        if (memcmp(keys->public[i], public, PUBLIC) == 0)
            return true;
    return false;
}

/* MARK METHOD PUBLIC_KEY SIGNATURE */
static bool parse_line(const char *line, size_t size, unsigned char *public,
                       unsigned char *signature)
{
    const size_t head = strlen(MARK METHOD), public_length = TEXT_SIZE(PUBLIC) - 1,
                 signature_length = TEXT_SIZE(SIGNATURE) - 1;

    return size == head + public_length + 1 + signature_length + 1 &&
           memcmp(line, MARK METHOD, head) == 0 &&
           decode(line + head, public_length, public, PUBLIC) &&
           line[head + public_length] == ' ' &&
           decode(line + head + public_length + 1, signature_length, signature,
                  SIGNATURE);
}

int gcal_sign_check(const struct gcal_sign_keys *keys, const char *text, size_t size,
                    struct gcal_error *err)
{
    unsigned char public[PUBLIC], signature[SIGNATURE];
    size_t start = gcal_sign_find(text, size);

    if (start == size)
        return gcal_error_set(err, GCAL_EINPUT, "not signed");
    if (!parse_line(text + start, size - start, public, signature))
        return gcal_error_set(err, GCAL_EINPUT, "invalid signature line");
    if (keys && !is_trusted(keys, public))
        return gcal_error_set(
            err, GCAL_EINPUT, "signed with key %.*s, which is not trusted",
            (int)TEXT_SIZE(PUBLIC) - 1, text + start + strlen(MARK METHOD));
    if (crypto_sign_verify_detached(signature, (const unsigned char *)text, start,
                                    public) != 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "changed since it was signed: its signature is wrong");
    return 0;
}
