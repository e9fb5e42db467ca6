/* test_history.c - publications and reads at the same time, against a model of one variable
 *
 * Each process notes when its operations began and ended, and which value they wrote or saw.
 * The store is right if the operations can be put in an order, each between its beginning and
 * its end, in which every read sees the last value written (linearizability).  Values are
 * written once each, and writers take turns, so three rules decide that.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/store/syscalls.h"
#include "tests/unit.h"

enum { N_WRITERS = 3, N_WRITES = 40, N_READERS = 3, MOST_READS = 20000 };

struct operation {
    double begin_s, end_s;
    int value; /* written or seen; 0: nothing was there */
};

struct history {
    atomic_int n_writers;
    atomic_int n_reads[N_READERS];
    struct operation writes[N_WRITERS * N_WRITES]; /* of value i + 1 */
    struct operation reads[N_READERS][MOST_READS];
};

static struct history *shared(void)
{
    struct history *h =
        mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(h != MAP_FAILED);
    h->n_writers = N_WRITERS;
    return h;
}

/* ---- the processes ---- */

static void write_value(const char *folder, int value, struct operation *o)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 1e-12 * value);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;
    char run[20];

    snprintf(run, sizeof(run), "r%d", value);
    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    o->value = value;
    o->begin_s = gcal_clock_now_s();
    if (gcal_store_publish(store, &params, run, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    o->end_s = gcal_clock_now_s();
    gcal_store_close(store);
    gcal_params_clear(&params);
}

static void write_all(const char *folder, struct history *h, int writer)
{
    for (int i = 0; i < N_WRITES; i++) {
        int at = i * N_WRITERS + writer;

        write_value(folder, at + 1, &h->writes[at]);
    }
    h->n_writers--;
}

static void read_all(const char *folder, struct history *h, int reader)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    int n = 0;

    while (h->n_writers > 0 && n < MOST_READS) {
        struct operation *o = &h->reads[reader][n++];
        struct gcal_params params;
        struct gcal_error err;

        o->begin_s = gcal_clock_now_s();
        if (gcal_store_load(store, "n1", NULL, &params, &err) == 0) {
            o->value = (int)(params.devices[0].models[0].value[0] / 1e-12 + 0.5);
            gcal_params_clear(&params);
        } else if (!strstr(err.text, "is not calibrated")) {
            fprintf(stderr, "%s\n", err.text);
            _exit(1);
        }
        o->end_s = gcal_clock_now_s();
    }
    h->n_reads[reader] = n;
    gcal_store_close(store);
}

static void run_all(const char *folder, struct history *h)
{
    int status;

    for (int k = 0; k < N_WRITERS + N_READERS; k++)
        if (fork() == 0) {
            if (k < N_WRITERS)
                write_all(folder, h, k);
            else
                read_all(folder, h, k - N_WRITERS);
            _exit(0);
        }
    for (int k = 0; k < N_WRITERS + N_READERS; k++)
        assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
}

/* ---- the model ---- */

static struct operation write_of(const struct history *h, int value)
{
    return value ? h->writes[value - 1] : (struct operation){ .value = 0 };
}

/* Whether a value was certainly replaced before that time, by a write that began after its
 * own had ended.
 */
static bool is_replaced(const struct history *h, int value, double before_s)
{
    struct operation own = write_of(h, value);

    for (size_t i = 0; i < N_WRITERS * N_WRITES; i++)
        if (h->writes[i].begin_s > own.end_s && h->writes[i].end_s < before_s)
            return true;
    return false;
}

static int by_begin(const void *a, const void *b)
{
    const struct operation *p = a, *q = b;

    return (p->begin_s > q->begin_s) - (p->begin_s < q->begin_s);
}

/* NULL: right; else the rule that is broken. */
static const char *check(const struct history *h, const struct operation *reads, size_t n)
{
    struct operation newest = { .value = 0 }; /* of the writes seen by reads that ended */
    size_t ended = 0;

    for (size_t i = 0; i < n; i++) {
        const struct operation *r = &reads[i];
        struct operation own = write_of(h, r->value);

        if (own.begin_s > r->end_s)
            return "a value was read before it was written";
        if (is_replaced(h, r->value, r->begin_s))
            return "a value was read after it was replaced";
        /* Reads that ended before this one began; few are under way at any time. */
        for (; ended < i && reads[ended].end_s < r->begin_s; ended++)
            if (write_of(h, reads[ended].value).begin_s > newest.begin_s)
                newest = write_of(h, reads[ended].value);
        if (own.end_s < newest.begin_s)
            return "a value was read after a newer one";
    }
    return NULL;
}

static const char *check_history(const struct history *h)
{
    struct operation *reads = calloc(N_READERS * MOST_READS, sizeof(*reads));
    const char *broken;
    size_t n = 0;

    for (int k = 0; k < N_READERS; k++)
        for (int i = 0; i < h->n_reads[k]; i++)
            reads[n++] = h->reads[k][i];
    qsort(reads, n, sizeof(*reads), by_begin);
    broken = check(h, reads, n);
    free(reads);
    return broken;
}

/* ---- the tests ---- */

static void a_store_is_a_variable(void **state)
{
    struct history *h = shared();
    const char *broken;
    int seen[N_WRITERS * N_WRITES + 1] = { 0 }, n_seen = 0;

    run_all(*state, h);
    if ((broken = check_history(h)))
        fail_msg("%s", broken);
    for (int k = 0; k < N_READERS; k++)
        for (int i = 0; i < h->n_reads[k]; i++)
            n_seen += !seen[h->reads[k][i].value]++;
    assert_true(n_seen > 10); /* else the readers have hardly run */
    munmap(h, sizeof(*h));
}

/* The model finds what it should: three histories of two writes and two reads. */
static void the_model_is_strict(void **state)
{
    struct history *h = shared();

    (void)state;
    for (size_t i = 2; i < N_WRITERS * N_WRITES; i++)
        h->writes[i] = (struct operation){ 1000, 1001, (int)i + 1 };
    h->writes[0] = (struct operation){ 1, 2, 1 };
    h->writes[1] = (struct operation){ 3, 6, 2 };
    h->n_reads[0] = 2;
    h->reads[0][0] = (struct operation){ 4, 4.5, 2 };
    h->reads[0][1] = (struct operation){ 5, 5.5, 2 };
    assert_null(check_history(h));
    h->reads[0][1].value = 1;
    assert_string_equal(check_history(h), "a value was read after a newer one");
    h->reads[0][0].value = 1;
    assert_null(check_history(h));
    h->reads[0][1] = (struct operation){ 7, 8, 1 };
    assert_string_equal(check_history(h), "a value was read after it was replaced");
    h->reads[0][1] = (struct operation){ 7, 8, 3 };
    assert_string_equal(check_history(h), "a value was read before it was written");
    munmap(h, sizeof(*h));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_strict),
        cmocka_unit_test(a_store_is_a_variable),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
