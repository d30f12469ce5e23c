import CZlib
import NIOCore

/// Compression of what browsers load.
///
/// Never of an event stream, and of nothing that holds a secret beside what others may write: the length of such an answer
/// would tell the secret, letter by letter.
/// - Source: RFC 1952; zlib.h.
enum Gzip {
    /// Quick, for what is compressed with each request; small, for what is compressed once.
    enum Effort: Int32 { case quick = 2, small = 9 }

    /// Less is not worth it.
    static let least = 1024

    /// `nil` for what does not become smaller.
    static func compressed(_ body: ByteBuffer, _ effort: Effort) -> ByteBuffer? {
        let count = body.readableBytes
        guard count >= least, let size = UInt32(exactly: count) else { return nil }
        var stream = z_stream()
        // 15 bits of window, and 16 for the header of gzip.
        let began = deflateInit2_(
            &stream,
            effort.rawValue,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard began == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var result = ByteBufferAllocator().buffer(capacity: count)
        let isDone =
            body.withUnsafeReadableBytes { input in
                result.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { output in
                    // zlib only reads it, but says so nowhere.
                    stream.next_in = UnsafeMutablePointer(
                        mutating: input.bindMemory(to: UInt8.self).baseAddress
                    )
                    stream.avail_in = size
                    stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                    stream.avail_out = size
                    return deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(size - stream.avail_out) : 0
                }
            } > 0
        return isDone ? result : nil
    }
}
