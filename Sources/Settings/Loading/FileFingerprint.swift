import Foundation

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
        let size: Int
        let modified: Date?
        let number: UInt64?
    }

    private static let largest = 4 * 1024 * 1024

    init(path: String) {
        guard let (type, version) = Self.version(of: path) else {
            self = .none
            return
        }
        switch type {
        case .typeRegular:
            self = .version(version)
            guard version.size <= Self.largest,
                case .success(let contents) = FileContents.read(path, upTo: Self.largest)
            else { return }
            self = .contents(hash: contents.bytes.hashValue, bytes: contents.bytes.count)
        case .typeDirectory:
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            self = .folder(names.reduce(into: [:]) { $0[$1] = Self.version(of: "\(path)/\($1)")?.version })
        default: self = .none
        }
    }

    private static func version(of path: String) -> (type: FileAttributeType, version: Version)? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let type = attributes[.type] as? FileAttributeType
        else { return nil }
        let version = Version(
            size: (attributes[.size] as? NSNumber)?.intValue ?? 0,
            modified: attributes[.modificationDate] as? Date,
            number: (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        )
        return (type, version)
    }
}

extension LoadedConfiguration {
    /// Whether another reading has the same values, and the files that they name have the same contents.
    package func isSame(as other: LoadedConfiguration) -> Bool {
        values == other.values && files == other.files
    }
}

extension ConfigurationSchema {
    /// The files that a configuration names, by key path, apart from those that the daemon writes.
    func fingerprints(_ configuration: TrilateralConfiguration) -> [String: [FileFingerprint]] {
        var result: [String: [FileFingerprint]] = [:]
        for key in keys where key.isFile && !key.isWritten {
            let names: [String] =
                switch key.encode(configuration) {
                case .scalar(let name, _): [name]
                case .list(let elements):
                    elements.compactMap { if case .scalar(let name, _) = $0.value { name } else { nil } }
                case .null, .mapping: []
                }
            if !names.isEmpty { result[key.path] = names.map(FileFingerprint.init(path:)) }
        }
        return result
    }
}
