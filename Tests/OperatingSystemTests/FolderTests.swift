import Foundation
import OperatingSystem
import TestSupport
import Testing

struct FolderTests {
    @Test func `a folder is removed with its files, and not with what a link leads to`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["mine", "others"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(name),
                    withIntermediateDirectories: true
                )
                try folder.write("text", to: "\(name)/file")
            }
            for name in ["link", "mine/link"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(name),
                    withDestinationPath: folder.path("others")
                )
            }
            Folder.remove(folder.path("link"))
            Folder.remove(folder.path("mine"))
            Folder.remove(folder.path("none"))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
            #expect(left == ["link", "others"])
            #expect(try Folder.names(in: folder.path("others")) == ["file"])
        }
    }
}
