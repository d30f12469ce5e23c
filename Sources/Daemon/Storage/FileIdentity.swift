import Foundation

/// The identity of the file at a path; symbolic links are followed.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` if there is no such file.
    init?(path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let device = attributes[.systemNumber] as? NSNumber,
            let number = attributes[.systemFileNumber] as? NSNumber
        else { return nil }
        (self.device, self.number) = (device.uint64Value, number.uint64Value)
    }
}
