#ifndef BRASA_COMMIT_H
#define BRASA_COMMIT_H

/// The commit that the program was built from; empty where the build was not told.
const char *_Nonnull brasa_commit(void);

#endif
