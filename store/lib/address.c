/* address.c - devices by PCI address or UUID */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/error.h"
#include "store/lib/private.h"

struct pci {
    unsigned domain, bus, device, function;
};

static bool parse_pci(const char *text, struct pci *pci)
{
    int end = 0;

    *pci = (struct pci){ 0 };
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &pci->domain, &pci->bus, &pci->device,
               &pci->function, &end) == 4 &&
        !text[end])
        return true;
    pci->domain = 0;
    return sscanf(text, "%2x:%2x.%1x%n", &pci->bus, &pci->device, &pci->function, &end) ==
               3 &&
           !text[end];
}

/* The digits of a UUID, after what tools put before them; NULL: it is not one. */
static const char *uuid_of(const char *text)
{
    static const char *const prefixes[] = { "uuid:", "GPU-", "MIG-" };
    size_t length;

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (strncasecmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            text += strlen(prefixes[i]);
    length = strlen(text);
    return length && strspn(text, "0123456789abcdefABCDEF-") == length ? text : NULL;
}

static bool is_at(const struct gcal_device_info *info, const struct pci *pci)
{
    struct pci own;

    return info->pci && parse_pci(info->pci, &own) && own.domain == pci->domain &&
           own.bus == pci->bus && own.device == pci->device &&
           own.function == pci->function;
}

/* As gcal_params_find(), by an address instead of a pattern. */
static const struct gcal_params_device *find(const struct gcal_params *params,
                                             const char *address, struct gcal_error *err)
{
    struct pci pci;
    bool by_pci = parse_pci(address, &pci);
    const char *uuid = by_pci ? NULL : uuid_of(address);

    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_device_info *info = &params->devices[i].info;

        if ((by_pci && is_at(info, &pci)) ||
            (uuid && strncmp(info->uid, "uuid:", strlen("uuid:")) == 0 &&
             strcasecmp(info->uid + strlen("uuid:"), uuid) == 0))
            return &params->devices[i];
    }
    if (by_pci || uuid)
        gcal_error_set(err, GCAL_EINPUT, "node %s: no device at %.100s is calibrated",
                       params->node, address);
    else
        gcal_error_set(
            err, GCAL_EINPUT,
            "'%.100s' is neither a PCI address such as 0000:3b:00.0 nor a UUID", address);
    return NULL;
}

API struct gpucal_device *gpucal_device_open_at(const struct gpucal_store *store,
                                                const char *node, const char *address,
                                                struct gpucal_error *err)
{
    if (!GIVEN(err, store, node, address))
        return NULL;
    return gpucal_device_find(store, node, address, find, err);
}
