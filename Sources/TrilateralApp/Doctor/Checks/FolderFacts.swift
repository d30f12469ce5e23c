import Daemon
import Foundation
import OperatingSystem

/// The rights on the state folder and the configuration file.
package struct FolderFacts: Sendable {
    package static let check = "rights"

    /// A file or folder, and who may do what with it.
    package struct Entry: Sendable {
        package var path: String
        package var owner: UInt32
        package var permissions: UInt32
        package var isFolder: Bool

        package init(_ path: String, owner: UInt32, permissions: UInt32, isFolder: Bool = false) {
            (self.path, self.owner) = (path, owner)
            (self.permissions, self.isFolder) = (permissions, isFolder)
        }

        init?(_ path: String) {
            guard let status = FileStatus(path: path) else { return nil }
            self.init(
                path,
                owner: status.owner,
                permissions: status.permissions,
                isFolder: status.kind == .folder
            )
        }
    }

    package var path = ""
    /// `nil` if there is none, or it cannot be reached.
    package var folder: Entry?
    /// Whether this user may not look.
    package var isClosed = false
    package var files: [Entry] = []
    /// The user of the daemon that runs.
    package var daemonOwner: UInt32?
    package var configuration: Entry?
    /// The names of users.
    package var name: @Sendable (UInt32) -> String = { "\($0)" }

    package init() {}

    package var verdicts: [DoctorVerdict] { state + configurationVerdicts }

    private var state: [DoctorVerdict] {
        guard let folder else {
            if isClosed {
                return [
                    DoctorVerdict(
                        Self.check,
                        .warning,
                        "this user may not look into \(path)",
                        advice: "run it with sudo, to have it looked at"
                    )
                ]
            }
            return daemonOwner == nil
                ? [DoctorVerdict(Self.check, .ok, "\(path) is not there yet; the first start makes it")]
                : [
                    DoctorVerdict(
                        Self.check,
                        .problem,
                        "\(path) was removed while the daemon runs",
                        advice: "restart the daemon, and restore a backup if there was a place in it"
                    )
                ]
        }
        guard folder.isFolder else {
            return [DoctorVerdict(Self.check, .problem, "\(path) is no folder", advice: "move it away")]
        }
        var found: [DoctorVerdict] = []
        let owner = daemonOwner ?? folder.owner
        // Root may write everywhere.
        if folder.owner != owner, owner != 0 {
            found.append(
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "\(path) is \(name(folder.owner))'s, and the daemon runs as \(name(owner))",
                    advice: "chown -R \(name(owner)) \(path)"
                )
            )
        }
        if folder.permissions & 0o700 != 0o700, owner != 0 {
            found.append(
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "\(path) is closed to its own user (mode \(String(folder.permissions, radix: 8)))",
                    advice: "chmod 700 \(path)"
                )
            )
        }
        if folder.permissions & 0o007 != 0 {
            found.append(
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "everybody on this machine can look into \(path)",
                    advice: "chmod 700 \(path)"
                )
            )
        }
        let strange = files.filter { $0.owner != owner && owner != 0 }
        if let first = strange.first {
            found.append(
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "\(first.path) is \(name(first.owner))'s, and the daemon runs as \(name(owner))"
                        + (strange.count > 1 ? " (\(strange.count) files)" : ""),
                    advice: "stop the daemon, and run: chown -R \(name(owner)) \(path)"
                )
            )
        }
        return found.isEmpty ? [DoctorVerdict(Self.check, .ok, "\(path) is \(name(folder.owner))'s")] : found
    }

    private var configurationVerdicts: [DoctorVerdict] {
        guard let file = configuration, file.permissions & 0o002 != 0 else { return [] }
        return [
            DoctorVerdict(
                Self.check,
                .problem,
                "everybody on this machine can change \(file.path)",
                advice: "chmod o-w \(file.path)"
            )
        ]
    }

    static func gathered(_ context: DoctorContext) -> FolderFacts {
        var facts = FolderFacts()
        facts.path = context.stateFolder
        facts.folder = Entry(context.stateFolder)
        facts.isClosed = facts.folder == nil && errno == EACCES
        let names: [String]
        do throws(FileError) {
            names = try facts.folder == nil ? [] : Folder.names(in: context.stateFolder)
        } catch {
            names = []
            // A folder of one's own that is closed is judged by its mode.
            if facts.folder?.owner != geteuid() { (facts.folder, facts.isClosed) = (nil, true) }
        }
        facts.files = names.sorted().prefix(1000).compactMap { Entry("\(context.stateFolder)/\($0)") }
        facts.daemonOwner = context.daemon?.owner
        facts.configuration = context.configurationFile.flatMap { Entry($0) }
        facts.name = { SystemUser.name(of: $0) }
        return facts
    }
}
