# Writes OUTPUT, a C file with the texts of FOLDER's .yaml and .cl files as data:
#   cmake -DFOLDER=... -DOUTPUT=... -P embed.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.cl ${FOLDER}/*.yaml)
list(SORT names)
set(arrays "")
set(table "")
set(number 0)
foreach(name IN LISTS names)
    file(READ ${FOLDER}/${name} bytes HEX)
    file(SIZE ${FOLDER}/${name} size)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)"
        "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}0 };\n")
    string(APPEND table "    { \"${name}\", file_${number}, ${size} },\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"kernels/generate/private.h\"\n\n${arrays}\n"
    "const struct gcal_catalogue_builtin_file gcal_catalogue_builtin_files[] = {\n${table}};\n"
    "const size_t gcal_catalogue_n_builtin_files = ${number};\n")
