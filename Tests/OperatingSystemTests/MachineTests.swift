import Foundation
import OperatingSystem
import TestSupport
import Testing

/// What the system says about disks, processes and its clock.
struct MachineTests {
    @Test func `the space of a folder is known, and none where there is no folder`() throws {
        let folder = try ScratchFolder()
        let space = try #require(FileSystemSpace(path: folder.path))
        #expect(space.freeBytes > 0 && space.freeBytes <= space.totalBytes && !space.isReadOnly)
        #expect(FileSystemSpace(path: "\(folder.path)/none") == nil)
    }

    @Test func `a process is found by the name of its program, with its capabilities`() throws {
        let name = try #require(ProcessTable.name(of: getpid()))
        #expect(ProcessTable.ids(named: name).contains(getpid()))
        #expect(ProcessTable.capabilities(of: getpid()) != nil)
        #expect(ProcessTable.isOutdated(getpid()) == false)
        #expect(ProcessTable.name(of: -1) == nil)
    }

    @Test func `the system says whether its clock is kept right, or that it does not know`() {
        #expect([true, false, nil].contains(SystemClock.isSynchronised))
    }
}
