// The one thing that a library holds of its own which only leads to another.
extern "C" __attribute__((visibility("default"))) const char warplens_library[] = "Warplens";
