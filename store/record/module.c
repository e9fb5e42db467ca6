/* module.c - the functions of the module */
#include "store/record/file.h"

__attribute__((visibility("default")))
const struct gcal_record_module gcal_record_module = {
    .version = GPUCAL_VERSION,
    .create = gcal_record_file_create,
    .sink = gcal_record_file_sink,
    .finish = gcal_record_file_finish,
    .abandon = gcal_record_file_abandon,
    .open = gcal_record_file_open,
    .close = gcal_record_file_close,
    .measurement = gcal_record_file_measurement,
};
