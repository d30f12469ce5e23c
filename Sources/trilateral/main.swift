import TrilateralApp

await TrilateralProgram.main()
