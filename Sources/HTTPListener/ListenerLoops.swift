import NIOCore
import NIOPosix

/// The event loops of all listeners.
package enum ListenerLoops {
    /// Returns when each of them has done something since the call, or the task is cancelled.
    package static func nextTurns() async {
        await withTaskGroup(of: Void.self) { tasks in
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                tasks.addTask {
                    let (turn, end) = AsyncStream.makeStream(of: Never.self)
                    loop.execute { end.finish() }
                    for await _ in turn {}
                }
            }
        }
    }
}
