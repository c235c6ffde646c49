#include "commit.h"

// A file of its own, so that another commit compiles nothing else anew. The manifest defines the text.
const char *brasa_commit(void) { return BRASA_COMMIT; }
