import Glibc

/// Other processes of this machine, as far as this user may look at them.
/// - Source: proc(5).
package enum ProcessTable {
    /// The processes of a program.
    ///
    /// - Parameter name: At most the first 15 bytes of the program's name.
    package static func ids(named name: String) -> [Int32] {
        let all = ((try? Folder.names(in: "/proc")) ?? []).compactMap { Int32($0) }
        return all.filter { self.name(of: $0) == name }.sorted()
    }

    /// The name of a process's program; `nil` if there is no such process.
    package static func name(of process: Int32) -> String? {
        guard let text = text("/proc/\(process)/comm") else { return nil }
        return text.split(separator: "\n").first.map(String.init)
    }

    /// The capabilities in effect, a bit each; `nil` if there is no such process.
    package static func capabilities(of process: Int32) -> UInt64? {
        guard let text = text("/proc/\(process)/status") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line.flatMap { UInt64($0.dropFirst("CapEff:".count).filter { !$0.isWhitespace }, radix: 16) }
    }

    /// The words of a process's command line, with the name of its program; `nil` if there is no such process.
    package static func arguments(of process: Int32) -> [String]? {
        text("/proc/\(process)/cmdline")
            .map { $0.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init) }
    }

    /// The folder that a process works in; `nil` if this user may not know.
    package static func workingFolder(of process: Int32) -> String? { link("/proc/\(process)/cwd") }

    /// Whether a process was stopped by a signal or a debugger, and does nothing until it is continued.
    package static func isStopped(_ process: Int32) -> Bool {
        let line = text("/proc/\(process)/status")?.split(separator: "\n").first { $0.hasPrefix("State:") }
        let state = line?.dropFirst("State:".count).first { !$0.isWhitespace }
        return state == "T" || state == "t"
    }

    /// How long a process has been running; `nil` if there is none.
    ///
    /// - Source: proc(5): field 22 of `/proc/PID/stat` counts ticks since the system's start, `/proc/uptime` seconds.
    package static func age(of process: Int32) -> Duration? {
        // The name, in brackets, may have spaces and brackets in it.
        guard let line = text("/proc/\(process)/stat"), let end = line.lastIndex(of: ")"),
            let ticks = line[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) }),
            let uptime = text("/proc/uptime")?.split(separator: " ").first.flatMap({ Double($0) })
        else { return nil }
        let second = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return .seconds(max(0, uptime - ticks / second))
    }

    /// Whether the file of a process's program was replaced or removed since it started; `nil` if this user may not know.
    package static func isOutdated(_ process: Int32) -> Bool? {
        link("/proc/\(process)/exe").map { $0.hasSuffix(" (deleted)") }
    }

    /// The inode numbers of a process's sockets; `nil` if this user may not know.
    package static func sockets(of process: Int32) -> Set<UInt64>? {
        let folder = "/proc/\(process)/fd"
        guard let names = try? Folder.names(in: folder) else { return nil }
        return Set(
            names.compactMap { name in
                guard let target = link("\(folder)/\(name)"), target.hasPrefix("socket:[") else { return nil }
                return UInt64(target.dropFirst("socket:[".count).dropLast())
            }
        )
    }

    /// The process that has one of these sockets, of those that this user may look at.
    package static func owner(ofSockets inodes: Set<UInt64>) -> Int32? {
        let all = ((try? Folder.names(in: "/proc")) ?? []).compactMap { Int32($0) }.sorted()
        return all.first { sockets(of: $0)?.isDisjoint(with: inodes) == false }
    }

    static func text(_ path: String) -> String? {
        try? FileContents.readBytes(path, upTo: 1 << 20).map { String(decoding: $0, as: UTF8.self) }.get()
    }

    private static func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
