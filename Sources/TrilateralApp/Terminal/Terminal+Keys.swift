import Dispatch
import Foundation

extension Terminal {
    static let input = Terminal(descriptor: 0)

    /// Hands over each key as it is pressed, until the task is cancelled; at once over where no person can press one.
    ///
    /// Keys do not appear on the screen meanwhile. Ctrl-C stays a signal.
    func readKeys(_ handle: (UInt8) -> Void) async {
        // A job in the background would be stopped by the system.
        guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp() else { return }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return }
        var single = settings
        single.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(descriptor, TCSANOW, &single)
        defer { tcsetattr(descriptor, TCSANOW, &settings) }
        let (keys, feed) = AsyncStream<UInt8>.makeStream(bufferingPolicy: .bufferingNewest(16))
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { [descriptor] in
            var key: UInt8 = 0
            if read(descriptor, &key, 1) == 1 { feed.yield(key) } else { feed.finish() }
        }
        source.resume()
        defer { source.cancel() }
        for await key in keys { handle(key) }
    }
}
