import CZlib

/// Compression of packed samples.
///
/// - Source: RFC 1950; zlib.h.
enum Deflate {
    /// `nil` if there is no memory for it, and for more bytes than ``expanded(_:count:)`` takes.
    static func compressed(_ bytes: [UInt8], most: Int = mostBytes) -> [UInt8]? {
        guard bytes.count <= most, let size = uLong(exactly: bytes.count) else { return nil }
        var length = compressBound(size)
        var result = [UInt8](repeating: 0, count: Int(length))
        guard compress2(&result, &length, bytes, size, 6) == Z_OK else { return nil }
        result.removeSubrange(Int(length)...)
        return result
    }

    /// zlib makes nothing smaller than this part of it.
    private static let greatestRatio = 1032
    /// More than any packed samples have; a damaged file may say anything.
    static let mostBytes = 256 << 20

    /// - Parameter count: How many bytes there were.
    /// - Returns: `nil` unless these are the compressed form of exactly that many bytes.
    static func expanded(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        guard 0...min(bytes.count * greatestRatio, mostBytes) ~= count, var length = uLong(exactly: count)
        else {
            return nil
        }
        var result = [UInt8](repeating: 0, count: count)
        let code = bytes.withUnsafeBufferPointer {
            uncompress(&result, &length, $0.baseAddress, uLong($0.count))
        }
        return code == Z_OK && Int(length) == count ? result : nil
    }
}
