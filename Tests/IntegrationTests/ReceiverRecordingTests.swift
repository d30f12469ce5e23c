import Foundation
import Receivers
import Testing

/// `TRILATERAL_RECORD=1` makes the recording again; try the tests that play it afterwards.
struct ReceiverRecordingTests {
    private static let header = """
        # What two receivers of a flat report in a minute: milliseconds, topic, payload.
        # Made by RecordedFlat.swift; TRILATERAL_RECORD=1 makes it again.

        """

    @Test func `the recording of the flat is what its simulation makes`() throws {
        let made = RecordedFlat.recording()
        if ProcessInfo.processInfo.environment["TRILATERAL_RECORD"] == "1" {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let file = folder.appending(path: "Recordings/\(RecordedFlat.file)")
            try (Self.header + made.text).write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let recorded = try ReceiverRecording(named: RecordedFlat.file)
        let different = zip(made.messages, recorded.messages).first { $0 != $1 }
        #expect(different == nil && made.messages.count == recorded.messages.count)
    }

    @Test func `each recorded report can be used`() throws {
        for message in try ReceiverRecording(named: RecordedFlat.file).messages {
            let levels = message.topic.components(separatedBy: "/")
            try #require(levels.count == 4)
            let (report, unusable) = try DeviceReport.decode(
                Array(message.payload.utf8),
                id: levels[2],
                receiver: levels[3]
            )
            #expect(report.isHeard && unusable.isEmpty, "\(message)")
        }
    }

    @Test func `the kitchen's receiver is an older node, and is lost for six seconds`() throws {
        let messages = try ReceiverRecording(named: RecordedFlat.file).messages
        let (kitchen, living) = (
            messages.filter { $0.topic.hasSuffix("/kitchen") },
            messages.filter { $0.topic.hasSuffix("/living") }
        )
        #expect(kitchen.count + living.count == messages.count)
        #expect(kitchen.count > 50 && kitchen.allSatisfy { $0.payload.contains(#""raw":"#) })
        #expect(living.count > 50 && living.allSatisfy { $0.payload.contains(#""rssiVar":"#) })
        #expect(!kitchen.contains { (42_050..<48_000).contains($0.milliseconds) })
        #expect(living.contains { (42_050..<48_000).contains($0.milliseconds) })
    }
}
