import Glibc
import Positioning

/// Why a sensor's file gave no number.
enum SysfsError: Error, Sendable, Hashable {
    /// Not now; the next time it may.
    case missed(String)
    /// The device has gone.
    case gone
}

/// A file of the kernel that holds one number, read again and again.
///
/// It stays open: each reading from its beginning makes the driver measure anew. Files of sysfs cannot be waited for, so
/// whoever wants to know what changes has to ask.
final class SysfsFile {
    private let path: String
    private let descriptor: Int32
    private let identity: Identity?

    private static let longest = 128

    /// Device and number of a file.
    private struct Identity: Equatable {
        let device: UInt64
        let node: UInt64

        /// From the first two words, which they are on every 64-bit Linux: which module the members of the structure
        /// belong to depends on what else is imported, and on how the build is optimised.
        /// - Parameter look: One of the calls that fill the structure in; 0 when it could.
        init?(_ look: (UnsafeMutablePointer<stat>) -> Int32) {
            let words = withUnsafeTemporaryAllocation(
                byteCount: max(MemoryLayout<stat>.size, 16),
                alignment: MemoryLayout<stat>.alignment
            ) { buffer -> (UInt64, UInt64)? in
                guard let start = buffer.baseAddress, look(start.assumingMemoryBound(to: stat.self)) == 0
                else {
                    return nil
                }
                return (
                    start.loadUnaligned(as: UInt64.self),
                    start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            }
            guard let words else { return nil }
            (device, node) = words
        }
    }

    /// `nil` when there is no such file, or it may not be read.
    init?(_ path: String) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let opened = descriptor
        identity = Identity { fstat(opened, $0) }
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
            throw .missed("\(path): \(String(cString: strerror(code)))")
        }
        guard count < Self.longest, let number = DecimalText.number(String(decoding: bytes, as: UTF8.self))
        else {
            let shown = String(decoding: bytes.prefix(20), as: UTF8.self)
            throw .missed("\(path): no number (\"\(shown.filter { !$0.isNewline })\")")
        }
        return number
    }

    /// Whether the path still leads to the file that is open: a device that was pulled out and put back has others.
    var isCurrent: Bool {
        guard let identity else { return false }
        return identity == Identity { stat(path, $0) }
    }
}
