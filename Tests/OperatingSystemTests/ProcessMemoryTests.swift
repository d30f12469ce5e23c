import OperatingSystem
import Testing

struct ProcessMemoryTests {
    @Test func `the memory of this process is known`() throws {
        let memory = try #require(ProcessMemory.now())
        #expect(memory.anonymous > 0 && memory.anonymous <= memory.resident)
    }

    @Test(arguments: [
        "", "VmRSS:\t 12 kB\n", "VmRSS: x kB\nRssAnon: 1 kB\n", "VmRSS: 99999999999999999999 kB\n",
    ])
    func `a text without both figures says nothing`(text: String) {
        #expect(ProcessMemory(status: text) == nil)
    }

    @Test func `what only the start needed is given back, and is there again where it is used`() async {
        await #expect(processExitsWith: .success) {
            let before = try #require(ProcessMemory.now())
            ProcessMemory.giveBackStart()
            let after = try #require(ProcessMemory.now())
            // Most of what the files of the program gave.
            #expect(after.resident - after.anonymous < (before.resident - before.anonymous) / 2)
            #expect(String(describing: [1.5, 2]) == "[1.5, 2.0]")
        }
    }

    @Test func `figures are in bytes`() throws {
        let memory = try #require(ProcessMemory(status: "VmRSS:\t  100 kB\nRssAnon:\t   40 kB\n"))
        #expect(memory.resident == 102_400 && memory.anonymous == 40_960)
    }
}
