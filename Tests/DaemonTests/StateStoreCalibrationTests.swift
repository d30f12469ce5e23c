import Daemon
import Foundation
import GRDB
import Positioning
import TestSupport
import Testing

struct StateStoreCalibrationTests {
    private let calibration = MagnetometerCalibration(
        offset: Vector3(12.5, -3, 1e-7),
        stretch: Matrix3(Vector3(1.1, 0.02, 0), Vector3(0.02, 0.9, 0), Vector3(0, 0, 1)),
        field: 47.25,
        quality: .full,
        spread: 0.021,
        coverage: 0.9,
        samples: 311
    )

    @Test func `a calibration is kept for its device, to the last bit`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            #expect(try store.calibration(of: "ak8963") == nil)
            try store.keep(calibration, of: "ak8963")
            var newer = calibration
            newer.samples = 5
            try store.keep(newer, of: "magn")
            #expect(try store.calibration(of: "ak8963") == calibration)
            #expect(try StateStore(folder: folder.url).calibration(of: "magn") == newer)
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"quality":"full"}"#]) func `an unreadable calibration counts as none`(
        _ text: String
    )
        async throws
    {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let queue = try DatabaseQueue(path: folder.path("trilateral.db"))
            try await queue.write { database in
                try database.execute(
                    sql: "INSERT INTO setting VALUES ('compass.calibration.chip', ?)",
                    arguments: [text]
                )
            }
            #expect(try store.calibration(of: "chip") == nil)
        }
    }
}
