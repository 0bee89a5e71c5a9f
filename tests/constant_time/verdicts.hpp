// Everything that the library makes public although it depends on secrets: whether two tags are equal
// (equal_constant_time), whether padding is possible and how long the message without it is (find_padding), whether a
// user's S-boxes are permutations (check_sbox). Each verdict is declassified where its function returns; how it was
// reached is checked like everything else.
#pragma once

// Reports so far that were such a verdict being acted on.
unsigned long excused_reports();
