# embed.cmake - files as data of a library
#
# include()d, it defines
#
#   gcal_embed(NAME FILE...)
#
# which has NAME.c written into the binary folder, to be listed among a library's sources:
# an array 'NAME' of the files with their names and texts (kernels/base/embed.h).  As a
# script, it writes that file:
#
#   cmake -DNAME=... -DOUTPUT=... -DFILES=FILE;FILE -P embed.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(GCAL_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

    function(gcal_embed name)
        set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
        set(files "")
        foreach(file IN LISTS ARGN)
            get_filename_component(file ${file} ABSOLUTE)
            list(APPEND files ${file})
        endforeach()
        add_custom_command(OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUTPUT=${output} "-DFILES=${files}"
                -P ${GCAL_EMBED_SCRIPT}
            DEPENDS ${GCAL_EMBED_SCRIPT} ${files} VERBATIM)
    endfunction()
    return()
endif()

set(texts "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(file_name ${file} NAME)
    file(READ ${file} bytes HEX)
    file(SIZE ${file} size)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)"
        "\\1\n" bytes "${bytes}")
    string(APPEND texts "static const unsigned char file_${number}[] = {\n${bytes}0 };\n")
    string(APPEND table "    { \"${file_name}\", (const char *)file_${number}, ${size} },\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"kernels/base/embed.h\"\n\n${texts}\n"
    "extern const struct gcal_embedded_file ${NAME}[];\n"
    "const struct gcal_embedded_file ${NAME}[] = {\n${table}    { 0 },\n};\n")
