import Foundation
import Threading

/// A terminal without a screen, for programs that talk with a person.
///
/// - Source: pty(7).
package final class PseudoTerminal: Sendable {
    package struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// Where the program's side is.
    package let path: String
    /// The person's side.
    private let own: Int32
    /// Open until the end, so that the terminal outlives the program.
    private let other: Int32
    private let shown = Locked([UInt8]())

    package init() throws {
        var (own, other): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        guard openpty(&own, &other, &name, nil, nil) == 0 else {
            throw Failure(call: "openpty", code: errno)
        }
        (self.own, self.other) = (own, other)
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        for descriptor in [own, other] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(own, F_SETFL, O_RDWR | O_NONBLOCK)
    }

    deinit {
        close(own)
        close(other)
    }

    /// Everything that the screen has got.
    package var text: String {
        shown.withLock { bytes in
            var chunk = [UInt8](repeating: 0, count: 4096)
            while case let count = read(own, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Waits until a text is on the screen, so many times.
    package func shows(_ wanted: String, times: Int = 1) async -> Bool {
        await eventually { self.text.components(separatedBy: wanted).count > times }
    }

    package func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(own, bytes, bytes.count)
    }

    /// Whether what is typed appears.
    package var echoes: Bool {
        var settings = termios()
        return tcgetattr(own, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }
}
