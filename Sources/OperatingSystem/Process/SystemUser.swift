import Glibc

/// The users and groups of this machine.
package enum SystemUser {
    /// The name of a user; the number if it has none.
    package static func name(of user: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "\(user)" }
        return String(cString: name)
    }

    /// The name of a group; the number if it has none.
    package static func name(ofGroup group: UInt32) -> String {
        getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "\(group)"
    }
}
