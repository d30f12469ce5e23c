import Glibc

/// How many files and connections this process may have open.
package enum OpenFiles {
    /// Files that are open for other reasons than a connection.
    private static let others = 128

    /// Asks for as many as the system allows, up to a bound; the usual start is 1024.
    /// - Returns: How many connections there may be, so that the rest of the program always has the files it needs.
    package static func raiseLimit(to wanted: Int = 65_536) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 512 }
        let highest = min(limit.rlim_max, rlim_t(wanted))
        if limit.rlim_cur < highest {
            var raised = limit
            raised.rlim_cur = highest
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        let files = Int(clamping: limit.rlim_cur)
        return max(8, files - min(others, files / 2))
    }
}
