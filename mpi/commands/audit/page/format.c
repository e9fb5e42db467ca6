/* format.c - values of the page as text */
#include <math.h>
#include <string.h>

#include "mpi/commands/audit/page/private.h"
#include "mpi/cli/escape.h"

static const struct {
    const char *class;
    int severity;
} verdicts[] = {
    [GCAL_AUDIT_PASS] = { "pass", 0 },       [GCAL_AUDIT_UNKNOWN] = { "unknown", 1 },
    [GCAL_AUDIT_SUSPECT] = { "suspect", 2 }, [GCAL_AUDIT_WARN] = { "warn", 3 },
    [GCAL_AUDIT_FAIL] = { "fail", 4 },
};

int gcal_page_severity(enum gcal_audit_verdict verdict)
{
    return verdicts[verdict].severity;
}

/* ---- formats ---- */

static void put_verdict(struct gcal_buf *html, double value, const char *unused)
{
    enum gcal_audit_verdict verdict = (enum gcal_audit_verdict)value;

    (void)unused;
    gcal_buf_printf(html, "<span class=\"verdict %s\">%s</span>", verdicts[verdict].class,
                    gcal_audit_verdict_name(verdict));
}

static void put_percent(struct gcal_buf *html, double value, const char *unused)
{
    (void)unused;
    if (!isfinite(value))
        gcal_buf_puts(html, "&ndash;");
    else if (fabs(value) < 0.0005)
        gcal_buf_puts(html, "0.0&nbsp;%");
    else
        gcal_buf_printf(html, "%s%.*f&nbsp;%%", value < 0 ? "&minus;" : "+",
                        fabs(value) < 0.995 ? 1 : 0, 100 * fabs(value));
}

static void put_share(struct gcal_buf *html, double value, const char *unused)
{
    (void)unused;
    if (!isfinite(value))
        gcal_buf_puts(html, "&ndash;");
    else
        gcal_buf_printf(html, "%.2g&nbsp;%%", 100 * value);
}

static void put_ratio(struct gcal_buf *html, double value, const char *unused)
{
    (void)unused;
    if (!isfinite(value))
        gcal_buf_puts(html, "&ndash;");
    else
        gcal_buf_printf(html, "%.2f", value);
}

static void put_probability(struct gcal_buf *html, double probability, const char *unused)
{
    double odds = 1 / probability, step;

    (void)unused;
    if (!isfinite(probability))
        gcal_buf_puts(html, "&ndash;");
    else if (probability < 1e-6)
        gcal_buf_puts(html, "below 1 in a million");
    else if (odds < 10)
        gcal_buf_printf(html, "%.0f&nbsp;%%", 100 * probability);
    else {
        step = pow(10, floor(log10(odds)) - 1);
        odds = step * round(odds / step);
        if (odds < 1000)
            gcal_buf_printf(html, "1 in %.0f", odds);
        else
            gcal_buf_printf(html, "1 in %.0f&#8239;%03.0f", floor(odds / 1000),
                            fmod(odds, 1000));
    }
}

static void put_count(struct gcal_buf *html, double n, const char *what)
{
    gcal_buf_printf(html, "%.0f %s%s", n, what, n == 1 ? "" : "s");
}

/* "2026-10-03 04:17" of "2026-10-03T04:17:05Z" */
static void put_utc(struct gcal_buf *html, const char *utc)
{
    char text[17];

    snprintf(text, sizeof(text), "%s", utc);
    if (strlen(text) == 16 && text[10] == 'T')
        text[10] = ' ';
    gcal_escape_html(html, text);
}

/* ---- values ---- */

static const struct {
    const char *name; /* and an argument, after a space */
    void (*put)(struct gcal_buf *html, double value, const char *argument);
} formats[] = {
    { "count", put_count },     { "percent", put_percent },
    { "share", put_share },     { "ratio", put_ratio },
    { "verdict", put_verdict }, { "probability", put_probability },
};

static void put_number(struct gcal_buf *html, double value, const char *format)
{
    size_t length = strcspn(format, " ");

    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (strncmp(formats[i].name, format, length) == 0 &&
            formats[i].name[length] == '\0') {
            formats[i].put(html, value, format + length + (format[length] == ' '));
            return;
        }
    gcal_buf_printf(html, "%.10g", value);
}

void gcal_page_put_value(struct gcal_buf *html, const struct gcal_page_value *value,
                         const char *format)
{
    const char *text = value->text ? value->text : "";

    if (!value->is_text)
        put_number(html, value->number, format);
    else if (strcmp(format, "utc") == 0)
        put_utc(html, text);
    else
        gcal_escape_html(html, text);
}
