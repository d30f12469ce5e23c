import Daemon
import OperatingSystem
import Settings
import TestSupport
import Testing

/// The keys of stations, on which their protection depends.
struct StationKeysTests {
    private static let key = String(repeating: "0a", count: 32)

    @Test(arguments: ["", "\u{FEFF}"], ["\n", "\r\n"])
    func `a station is protected, however the file with its key was stored`(mark: String, end: String) throws
    {
        let folder = try ScratchFolder()
        let text = mark + "aa:bb:cc:dd:ee:ff \(Self.key)" + end + "# a comment" + end + "shop \(Self.key)"
        let keys = try StationKeys.load(try folder.write("keys", text)).get()
        #expect(keys.keys.map { "\($0)" }.sorted() == ["aa:bb:cc:dd:ee:ff", "shop"])
    }

    @Test func `a mark in the middle does not make another station of one`() throws {
        let folder = try ScratchFolder()
        let text = "shop \(Self.key)\n\u{FEFF}aa:bb:cc:dd:ee:ff \(Self.key)\n"
        let file = try folder.write("keys", text)
        guard case .failure(let error) = StationKeys.load(file) else {
            Issue.record("accepted")
            return
        }
        #expect(error.message.contains("line 2 holds a byte order mark"))
    }
}
