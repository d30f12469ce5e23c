#pragma once

// What Swift cannot do by itself: to know this process without /proc.

/// The number of arguments, the name of the program included.
///
/// Swift's CommandLine reads them from /proc, which a chroot or a small container may not have.
int trilateral_argument_count(void);

/// An argument; NULL outside of them.
const char *trilateral_argument(int index);

/// The path with which the system was asked to execute this program.
const char *trilateral_executed_path(void);

/// Lets every descriptor from the first on be closed by the next exec.
void trilateral_close_on_exec_from(int first);

/// Whether the kernel's clock is kept right by a time service: 1 if it is, 0 if not, -1 if the system does not say.
int trilateral_clock_is_synchronised(void);

/// Gives back the read-only pages of this program and its libraries: their code and constants.
///
/// Nothing is lost: the kernel maps a page again, from the file, when it is used.
void trilateral_give_back_program(void);
