# INPUT (PTX) -> OUTPUT, a list of raw string literals for engine/gpu/recorder_module.cpp, each below the
# 16 KiB that some compilers allow for one.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
file(WRITE ${OUTPUT} "// Generated from kernels/recorder/recorder.ptx.\n")
set(begin 0)
while(begin LESS length)
  string(SUBSTRING "${text}" ${begin} 12000 piece)
  file(APPEND ${OUTPUT} "R\"__ptx__(${piece})__ptx__\"\n")
  math(EXPR begin "${begin} + 12000")
endwhile()
