import Foundation

/// Which file a path stands for, whatever it is called; symbolic links are followed.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` when there is no such file.
    init?(path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let device = attributes[.systemNumber] as? NSNumber,
            let number = attributes[.systemFileNumber] as? NSNumber
        else { return nil }
        (self.device, self.number) = (device.uint64Value, number.uint64Value)
    }
}
