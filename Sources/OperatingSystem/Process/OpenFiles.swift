import Glibc

/// The limit of open files and connections of this process.
package enum OpenFiles {
    /// Files reserved for purposes other than connections.
    private static let others = 128

    /// Files of a device of the list: its connection to the broker, and what its threads are woken by.
    private static let ofDevice = 7

    /// Raises the limit as far as the system allows, up to a bound; the usual default is 1024.
    /// - Returns: The number of connections that leaves enough files for the rest of the program.
    package static func raiseLimit(to wanted: Int = 65_536) -> Int {
        let files = raisedLimit(to: wanted)
        return max(8, files - min(others, files / 2))
    }

    /// The limit after it was raised as far as the system allows, up to a bound.
    package static func raisedLimit(to wanted: Int = 65_536) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 640 }
        let highest = min(limit.rlim_max, rlim_t(wanted))
        if limit.rlim_cur < highest {
            var raised = limit
            raised.rlim_cur = highest
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many devices of the list may have connections of their own, so that pages, verbs and databases keep theirs.
    package static func mostDevices(ofLimit files: Int) -> Int {
        max(0, (files - 2 * others) / ofDevice)
    }
}
