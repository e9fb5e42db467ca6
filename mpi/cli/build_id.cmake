# build_id.cmake - a header with the hash of the front end's module, by which cached counts
# of another build are not taken.  MODULE, OUTPUT: files.
file(SHA256 ${MODULE} hash)
file(WRITE ${OUTPUT} "#define GPUCAL_FRONTEND_HASH \"${hash}\"\n")
