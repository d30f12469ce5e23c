/// What was in a file or folder when the configuration that names it was read, for comparison with a later reading.
package enum FileFingerprint: Sendable, Hashable {
    /// The hash of the contents, which differs from process to process.
    case contents(hash: Int, bytes: Int)
    /// A file that is large, or cannot be read.
    case version(Version)
    /// The files of a folder, by name.
    case folder([String: Version])
    /// Nothing there, or nothing that can be read twice.
    case none

    package struct Version: Sendable, Hashable {
        fileprivate let size: Int
        fileprivate let modified: FileStatus.Time
        fileprivate let identity: FileStatus.Identity

        fileprivate init(_ status: FileStatus) {
            (size, modified, identity) = (status.size, status.modified, status.identity)
        }
    }

    private static let largest = 4 * 1024 * 1024

    package init(path: String) {
        guard let status = FileStatus(path: path) else {
            self = .none
            return
        }
        switch status.kind {
        case .file:
            self = .version(Version(status))
            guard status.size <= Self.largest,
                case .success(let contents) = FileContents.read(path, upTo: Self.largest)
            else { return }
            self = .contents(hash: contents.bytes.hashValue, bytes: contents.bytes.count)
        case .folder:
            let names = (try? Folder.names(in: path)) ?? []
            self = .folder(
                names.reduce(into: [:]) { $0[$1] = FileStatus(path: "\(path)/\($1)").map(Version.init) }
            )
        case .pipe, .other: self = .none
        }
    }
}
