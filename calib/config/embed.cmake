# Writes OUTPUT, a C file with the text of INPUT as data:
#   cmake -DINPUT=models.yaml -DOUTPUT=... -P embed.cmake
file(READ ${INPUT} bytes HEX)
file(SIZE ${INPUT} size)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"calib/config/private.h\"\n\n"
    "const char gcal_config_builtin[] = {\n${bytes}0 };\n"
    "const size_t gcal_config_builtin_size = ${size};\n")
