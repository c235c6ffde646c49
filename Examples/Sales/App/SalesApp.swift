import SalesCore
