import Foundation
import OperatingSystem

/// What the user of the service may do with files, judged by their owner, group and mode: whoever runs `check` has other
/// rights.
package struct ServiceAccess: Sendable {
    private let unit: ServiceUnit
    /// `nil` while there is no such user: then nothing belongs to it.
    private let user: UInt32?
    private let groups: Set<UInt32>

    /// - Parameters:
    ///   - user: Instead of the unit's, for tests.
    package init(_ unit: ServiceUnit, user: UInt32? = nil, groups: Set<UInt32> = []) {
        self.unit = unit
        let name = unit.user ?? (unit.isDynamic ? "trilateral" : "root")
        let entry = getpwnam(name)?.pointee
        self.user = user ?? entry?.pw_uid
        var all = groups
        if user == nil, let entry { all.insert(entry.pw_gid) }
        for group in unit.supplementaryGroups + (unit.group.map { [$0] } ?? []) {
            if let found = getgrnam(group)?.pointee.gr_gid { all.insert(found) }
        }
        self.groups = all
    }

    /// Whether nothing is closed to it.
    private var isRoot: Bool { user == 0 }

    /// Why a file or folder cannot be read, as a sentence without its subject; `nil` if it can, or nobody here can tell.
    package func problem(reading path: String) -> String? {
        if let hidden = hidden(path) { return hidden }
        let path = resolved(path)
        if let closed = closedFolder(above: path) { return closed }
        guard let status = FileStatus(path: path) else {
            return errno == ENOENT || errno == ENOTDIR ? "does not exist" : nil
        }
        let bits: UInt32 = status.kind == .folder ? 5 : 4
        return may(bits, status) ? nil : "may not be read by it (\(description(of: status)))"
    }

    /// Why a file cannot be written or made.
    package func problem(writing path: String) -> String? {
        if let hidden = hidden(path) { return hidden }
        let path = resolved(path)
        let own = unit.writableFolders
        // systemd makes these for the user of the service.
        if own.contains(where: { path.hasPrefix($0 + "/") || path.hasPrefix(Self.hiddenPlace(of: $0) + "/") })
        {
            return nil
        }
        if unit.isStrict {
            let places = own.isEmpty ? "" : ", except \(own.joined(separator: " and "))"
            return
                "is read-only for it (ProtectSystem=strict)\(places); LogsDirectory= or ReadWritePaths= adds a folder"
        }
        if let closed = closedFolder(above: path) { return closed }
        if let status = FileStatus(path: path) {
            return may(2, status) ? nil : "may not be written by it (\(description(of: status)))"
        }
        let folder = (path as NSString).deletingLastPathComponent
        guard errno == ENOENT, let status = FileStatus(path: folder) else {
            return errno == ENOENT ? "cannot be made: there is no folder \(folder)" : nil
        }
        return may(3, status) ? nil : "cannot be made by it: \(folder) is closed (\(description(of: status)))"
    }

    /// With a user of its own, systemd keeps the folders of the service below `private`.
    private static func hiddenPlace(of folder: String) -> String {
        let parts = folder.split(separator: "/")
        guard let name = parts.last else { return folder }
        return "/" + parts.dropLast().joined(separator: "/") + "/private/" + name
    }

    private func hidden(_ path: String) -> String? {
        let homes = ["/home/", "/root/", "/run/user/"]
        guard unit.hidesHomes, homes.contains(where: path.hasPrefix) else { return nil }
        return "is hidden from it (ProtectHome=yes)"
    }

    private func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    }

    private func closedFolder(above path: String) -> String? {
        var folder = "/"
        for part in path.split(separator: "/").dropLast() {
            folder += folder == "/" ? part : "/" + part
            guard let status = FileStatus(path: folder) else {
                return errno == ENOENT ? "does not exist: there is no folder \(folder)" : nil
            }
            guard may(1, status) else {
                return "cannot be reached by it: \(folder) is closed (\(description(of: status)))"
            }
        }
        return nil
    }

    /// Whether it has the rights, as bits of the mode: 4 to read, 2 to write, 1 to search.
    private func may(_ bits: UInt32, _ status: FileStatus) -> Bool {
        if isRoot { return true }
        let mine =
            status.owner == user
            ? status.permissions >> 6
            : groups.contains(status.group) ? status.permissions >> 3 : status.permissions
        return mine & bits == bits
    }

    private func description(of status: FileStatus) -> String {
        let (owner, group) = (SystemUser.name(of: status.owner), SystemUser.name(ofGroup: status.group))
        return "\(owner):\(group) \(String(status.permissions, radix: 8))"
    }
}
