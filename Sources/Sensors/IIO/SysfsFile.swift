import Glibc
import OperatingSystem
import Positioning

/// Why a sensor's file could not be read.
enum SysfsError: Error, Sendable, Hashable {
    /// Temporarily.
    case unavailable(String)
    /// The device is gone.
    case gone
}

/// A sysfs file that contains one number, read repeatedly.
///
/// It stays open: each read from its beginning starts a new measurement. Sysfs files have no change
/// notification, so they are polled.
final class SysfsFile {
    private let path: String
    private let descriptor: Int32
    private let identity: FileStatus.Identity?

    private static let longest = 128

    /// `nil` when the file does not exist or may not be read.
    init?(_ path: String) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        identity = FileStatus(descriptor: descriptor)?.identity
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func number() throws(SysfsError) -> Double {
        var count = 0
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, filled in
            repeat {
                count = pread(descriptor, buffer.baseAddress, Self.longest, 0)
                code = errno
            } while count < 0 && code == EINTR
            filled = max(count, 0)
        }
        guard count >= 0 else {
            if [ENODEV, ENXIO, ENOENT, EBADF, ESTALE].contains(code) { throw .gone }
            throw .unavailable("\(path): \(systemMessage(code))")
        }
        guard count < Self.longest, let number = DecimalText.number(String(decoding: bytes, as: UTF8.self))
        else {
            let shown = String(decoding: bytes.prefix(20), as: UTF8.self)
            throw .unavailable("\(path): not a number (\"\(shown.filter { !$0.isNewline })\")")
        }
        return number
    }

    /// Whether the path still leads to the open file: a device that is plugged in again has new ones.
    var isCurrent: Bool {
        guard let identity else { return false }
        return identity == FileStatus(path: path)?.identity
    }
}
