import Glibc

/// The limit of open files and connections of this process.
package enum OpenFiles {
    /// Files reserved for purposes other than connections.
    private static let others = 128

    /// Raises the limit as far as the system allows, up to a bound; the usual default is 1024.
    /// - Returns: The number of connections that leaves enough files for the rest of the program.
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
