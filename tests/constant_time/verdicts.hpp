// All values that the library makes public although they depend on secrets: equality of two tags (equal_constant_time),
// validity of padding and the length of the message (find_padding; of a verified packet of ESP pad_len and is_padding),
// user-defined S-boxes being permutations (check_sbox). Each verdict is declassified where its function returns; its
// computation is checked like everything else.
#pragma once

// Number of reports so far caused by branches on such verdicts.
unsigned long excused_reports();
