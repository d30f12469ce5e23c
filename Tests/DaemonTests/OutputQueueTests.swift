import Daemon
import Dispatch
import Foundation
import TestSupport
import Testing

struct OutputQueueTests {
    /// The reading end of a pipe; reading never waits, so that it holds up no other test.
    private struct Reader {
        let file: FileHandle

        /// What has been written since the last call.
        func next() -> String {
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(file.fileDescriptor, &chunk, chunk.count)
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += chunk.prefix(count)
            }
        }
    }

    /// A queue that writes into a pipe, as long as the body runs.
    private func withPipe(
        capacity: Int,
        _ body: (OutputQueue, Reader) async throws -> Void
    ) async throws {
        let pipe = Pipe()
        let (reader, output) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        #expect(fcntl(reader.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let queue = OutputQueue(capacity: capacity, report: { "\($0) dropped\n" }) { bytes in
            try? output.write(contentsOf: bytes)
        }
        try await body(queue, Reader(file: reader))
    }

    @Test func `a pipe that nobody reads holds up nobody, and each text comes out whole or is counted`()
        async throws
    {
        try await withPipe(capacity: 10_000) { queue, reader in
            let text = String(repeating: "x", count: 99) + "\n"
            for _ in 0..<5000 { queue.append(text) }
            #expect(queue.dropped > 5000 - 10_000 / 100 - 65_536 / 100 - 100)
            let began = ContinuousClock.now
            queue.flush(within: 0.05)
            #expect(ContinuousClock.now - began < .seconds(10))

            var read = ""
            var whole = 0
            var reported = 0
            let isComplete = await eventually {
                read += reader.next()
                let lines = read.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                whole = lines.filter { $0 == text.dropLast() }.count
                let reports = lines.compactMap { $0.hasSuffix(" dropped") ? Int($0.dropLast(8)) : nil }
                reported = reports.reduce(0, +)
                return whole + reported == 5000
            }
            #expect(isComplete, "\(whole) and \(reported)")
            #expect(reported == queue.dropped)

            queue.append("after\n")
            read = ""
            _ = await eventually {
                read += reader.next()
                return !read.isEmpty
            }
            #expect(read == "after\n")
        }
    }

    @Test func `a text that never fits is reported with the next one`() async throws {
        try await withPipe(capacity: 10) { queue, reader in
            queue.append("longer than that")
            queue.append("short\n")
            var read = ""
            _ = await eventually {
                read += reader.next()
                return read.contains("dropped\n")
            }
            #expect(read == "short\n1 dropped\n")
            #expect(queue.dropped == 1)
        }
    }
}
