import Glibc

/// The home folder of the user of this process.
package enum HomeFolder {
    /// `$HOME`, or else the home of the system's list of users; `nil` if there is none.
    ///
    /// An empty or relative `$HOME` counts as none: files would go into the root folder or the working folder.
    package static func path(_ environment: [String: String]) -> String? {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir.map({ String(cString: $0) }),
            home.hasPrefix("/"), home != "/", access(home, F_OK) == 0
        else { return nil }
        return home
    }

    /// Why `$HOME` does not count, as a sentence; `nil` if it does.
    package static func problem(_ environment: [String: String]) -> String? {
        switch environment["HOME"] {
        case nil: "HOME is not set"
        case "": "HOME is empty"
        case let home? where !home.hasPrefix("/"): "HOME is \(home), which is no absolute path"
        default: nil
        }
    }
}
